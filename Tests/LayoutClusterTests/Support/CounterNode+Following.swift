import ClusterSimulation
import LayoutCache
import LayoutCluster

extension CounterNode {
  /// Takes over what stands behind the copy in the log, once a barrier behind the reads has
  /// shown that it stays there.
  ///
  /// - Throws: `Parted` where the copy is of another history; it is thrown away.
  func follow(_ name: String) throws {
    let sent = clients.now
    let head = try log.dataset(named: name)!
    var copy = try copies[name] ?? loadedCopy(of: head)
    var entries: [SharedEntry] = []
    if head.position.sequence > copy.counter.position.sequence {
      entries = try log.entries(
        of: head.position.dataset, after: copy.counter.position.sequence, bytesMax: 1 << 20)
    }
    if mistake != .believesReadsWithoutABarrier {
      try log.barrier(node: Array(repeating: 0, count: 16))
    }
    copy.epoch = head.epoch
    guard isContinued(copy.counter, by: entries, to: head) else {
      forget(name)
      throw Parted()
    }
    copies[name] = copy
    accept(entries, of: name)
    polled[name] = mistake == .measuresAgeFromTheAnswer ? clients.now : sent
  }

  /// Whether that was possible.
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
        mistake == .doesNotCheckTheChain || counter.isContinued(by: entry)
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
    let image = try log.beginImage(of: counter.position.dataset)
    try log.putChunk(counter.bytes, number: 0, of: image)
    let isPublished = try log.publishCheckpoint(
      image, at: counter.position, digest: Array(counter.digest.utf8))
    guard isPublished else { return try log.removeImage(image) }
    try log.cut(counter.position.dataset, upTo: counter.position.sequence - 3)
    _ = try log.sweepImages(olderThan: 1)
  }

  /// The newest checkpoint, or the dataset as it was made.
  private func loadedCopy(of head: SharedHead) throws -> Copy {
    if let checkpoint = try log.checkpoints(of: head.position.dataset).first,
      let bytes = try log.chunk(0, of: checkpoint.image)
    {
      let counter = Counter(bytes, at: checkpoint.position)
      return Copy(
        counter: counter, epoch: head.epoch, proposalsBehind: counter.position.sequence)
    }
    // The log does not say what the chain was before the first entry, unless there is none.
    let origin = head.position.sequence == 0 ? head.position.chain : []
    let position = SharedPosition(
      dataset: head.position.dataset, sequence: 0, chain: origin)
    return Copy(counter: Counter(origin: position), epoch: head.epoch, proposalsBehind: 0)
  }
}
