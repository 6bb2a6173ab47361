import ClusterSimulation
import ClusterTestSupport
import LayoutCache
import LayoutCluster
import LayoutReplication

extension CounterNode {
  /// Applies the entries after the copy, once a barrier after the reads has confirmed that they
  /// stay in the log.
  ///
  /// - Throws: `Parted` if the copy belongs to another history; the copy is discarded.
  func follow(_ name: String) throws {
    let sent = log.now
    log.believesReads = mistake == .believesReadsWithoutABarrier
    let present = try log.dataset(named: name)!
    let copy = try copies[name] ?? loadedCopy(of: present)
    let tail = try log.tail(
      of: present.position.dataset, after: copy.counter.position.sequence, bytesMax: 1 << 20)!
    let (head, entries) = (tail.head, tail.entries)
    guard isContinued(copy.counter, by: entries, to: head) else {
      forget(name)
      throw Parted()
    }
    copies[name] = copy
    copies[name]!.epoch = head.epoch
    accept(entries, of: name)
    polled[name] = mistake == .measuresAgeFromTheAnswer ? log.now : sent
  }

  /// Follows a dataset, and returns whether that was possible.
  func triesToFollow(_ name: String) throws -> Bool {
    do {
      try follow(name)
      return true
    } catch is SharedLogFailure {
      return false
    } catch is Parted {
      return false
    }
  }

  func forget(_ name: String) {
    copies[name] = nil
    polled[name] = nil
  }

  func accept(_ entries: [SharedEntry], of name: String) {
    for entry in entries {
      copies[name]!.counter.apply(entry)
      copies[name]!.proposals[entry.proposal] = (entry.sequence, entry.revision)
    }
  }

  private func isContinued(
    _ counter: Counter, by entries: [SharedEntry], to head: SharedHead
  ) -> Bool {
    var counter = counter
    for entry in entries {
      guard entry.sequence == counter.position.sequence + 1,
        mistake == .doesNotCheckTheChain || entry.isNext(after: counter.position.chain)
      else {
        return false
      }
      counter.apply(entry)
    }
    if mistake == .doesNotCheckTheChain { return true }
    return counter.position.sequence > head.position.sequence
      ? !entries.isEmpty : counter.position == head.position
  }

  // MARK: Checkpoints

  func publishCheckpoint(of name: String) throws {
    try follow(name)
    let counter = copies[name]!.counter
    let archive = try log.beginArchive(of: counter.position.dataset)
    try log.putChunk(counter.bytes, number: 0, of: archive)
    let isPublished = try log.publishCheckpoint(
      archive, at: counter.position, digest: Array(counter.digest.utf8))
    guard isPublished else { return try log.removeArchive(archive) }
    try log.cut(counter.position.dataset, upTo: counter.position.sequence - 3)
    _ = try log.sweepArchives(olderThan: 1)
  }

  /// Returns the newest checkpoint, or the dataset as it was created.
  private func loadedCopy(of head: SharedHead) throws -> Copy {
    if let checkpoint = try log.checkpoints(of: head.position.dataset).first,
      let bytes = try log.chunk(0, of: checkpoint.archive)
    {
      let counter = Counter(bytes, at: checkpoint.position)
      return Copy(
        counter: counter, epoch: head.epoch, proposalsAfter: counter.position.sequence)
    }
    let position = SharedPosition(
      dataset: head.position.dataset, sequence: 0, chain: head.begin)
    return Copy(counter: Counter(begin: position), epoch: head.epoch, proposalsAfter: 0)
  }
}
