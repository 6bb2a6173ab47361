import LayoutCache
import LayoutGeometry
import Synchronization

// Following the log: applying new entries to resident datasets.

extension ClusterNode {
  /// Checks the heads of all resident datasets, and follows the log where they lag.
  ///
  /// - Throws: ``SharedLogFailure`` if the log cannot be read; the datasets are then unchanged.
  package func poll() throws {
    for behind in try look(at: residents()) { try follow(behind) }
  }

  /// A resident dataset that differs from the log.
  struct Behind {
    let queue: DatasetCommitQueue
    /// The dataset's number when its head was read.
    let dataset: Int64
    /// `nil` if the log no longer has the dataset.
    let head: SharedHead?
  }

  /// Compares resident datasets with their heads in the log.
  ///
  /// - Returns: The datasets that lag, or were renamed or deleted.
  /// - Throws: ``SharedLogFailure``; ``ClusterError`` with `diverged` if the log was replaced by
  ///   another.
  func look(at queues: [DatasetCommitQueue]) throws -> [Behind] {
    let known = queues.compactMap { queue in
      queue.status { $0.reached }.map { (queue, position: $0) }
    }
    let sent = options.now()
    contact.withLock { $0.begin(at: sent) }
    let look = try look(at: known.map(\.position.dataset))
    let info = look.info
    guard info.incarnation == log else { throw ClusterError.diverged }
    let present = Dictionary(look.heads.map { ($0.position.dataset, $0) }) { first, _ in first }
    var behind: [Behind] = []
    var entryCount = 0
    for (queue, position) in known {
      let head = present[position.dataset]
      let isThere = queue.status { status in
        guard let head, head.position == status.reached else { return false }
        status.confirm(since: sent)
        return head.name.isExactly(queue.dataset)
      }
      if isThere { continue }
      entryCount += max(0, (head?.position.sequence ?? 0) - position.sequence)
      behind.append(Behind(queue: queue, dataset: position.dataset, head: head))
    }
    count { counts in
      counts.lag = entryCount
      counts.lookedAt = sent
      counts.rules = info.rules
      counts.isReplicated = info.isReplicated
    }
    return behind
  }

  /// Follows the log for a dataset that is behind. A dataset that cannot be followed does not
  /// fail the call: it is quarantined, or deleted.
  ///
  /// - Throws: ``SharedLogFailure``; ``LayoutCacheError`` with `sharedLogUnavailable`.
  func follow(_ behind: Behind) throws {
    let name = behind.queue.dataset
    guard let head = behind.head else {
      return try alone(with: name) { queue in
        // Another dataset may have taken the name in the meantime.
        guard queue.status({ $0.reached?.dataset }) == behind.dataset else { return }
        try self.forgetHere(queue)
      }
    }
    if !head.name.isExactly(name) {
      try alone(with: name) { try self.takeName(head, from: $0) }
    }
    // Following would fail again, perhaps after reading a long archive.
    let now = options.now()
    let isTriedLater = behind.queue.status { status in
      status.quarantined.map { now - $0.at < options.quarantinedFor } ?? false
    }
    if isTriedLater { return }
    do {
      try alone(with: head.name) { try self.follow(head.name, $0, []) }
    } catch let error as LayoutCacheError {
      if case .sharedLogUnavailable = error.code { throw error }
    }
  }

  /// Gives a dataset in the file the name that it has in the log. A dataset that has the name in
  /// the file is evicted: it was deleted or renamed.
  private func takeName(_ head: SharedHead, from queue: DatasetCommitQueue) throws {
    guard try cache.position(of: queue.dataset, in: log)?.dataset == head.position.dataset else {
      return
    }
    try withQueue(of: head.name) { other in
      if try cache.position(of: head.name, in: log) != nil { try forgetHere(other) }
      let used = queue.status { $0.used }
      try moving([queue, other]) { try cache.takeName(head.name, from: queue.dataset) }
      other.status { $0.used = used }
    }
  }

  /// Deletes a dataset from the node's file. The next request for it loads it again.
  package func evict(_ dataset: String) throws {
    try alone(with: dataset) { try self.forgetHere($0) }
  }

  /// Runs `body`, which replaces the datasets in the file under some names, and records their
  /// positions afterwards, even if `body` throws.
  private func moving(_ queues: [DatasetCommitQueue], _ body: () throws -> Void) throws {
    for queue in queues { queue.status { $0.leave() } }
    let result = Result { try body() }
    for queue in queues {
      guard let position = try cache.position(of: queue.dataset, in: log) else { continue }
      queue.status { $0.arrive(at: position) }
    }
    try result.get()
  }

  /// Deletes a dataset from the file.
  private func forgetHere(_ queue: DatasetCommitQueue) throws {
    try moving([queue]) { try cache.forget(queue.dataset) }
  }

  /// Makes a dataset resident.
  ///
  /// - Throws: ``LayoutCacheError`` with `noSuchDataset`; ``SharedLogFailure``.
  package func ensureResident(_ dataset: String) throws {
    if try cache.position(of: dataset, in: log) != nil { return }
    try Self.mapped { try alone(with: dataset) { try self.ensureResident(dataset, $0) } }
  }

  func ensureResident(_ dataset: String, _ queue: DatasetCommitQueue) throws {
    if try cache.position(of: dataset, in: log) != nil { return }
    guard let head = try read({ try $0.dataset(named: dataset) }) else {
      throw LayoutCacheError(.noSuchDataset(dataset))
    }
    queue.status { $0.epoch = head.epoch }
    try begin(head, queue)
    try follow(dataset, queue, [])
  }

  /// Loads a dataset from a checkpoint, an archive or the start of the log, in this order.
  private func begin(_ head: SharedHead, _ queue: DatasetCommitQueue) throws {
    try moving([queue]) {
      if try loadCheckpoint(of: head) { return }
      if try beginWithArchive(head) { return }
      let start = SharedPosition(dataset: head.position.dataset, sequence: 0, chain: head.begin)
      try cache.adopt(head.name, at: start, in: log, time: head.time)
    }
    queue.status { $0.quarantined = nil }
  }

  package func rebuild(_ dataset: String) throws {
    try Self.mapped {
      try alone(with: dataset) { queue in
        try self.forgetHere(queue)
        try self.ensureResident(dataset, queue)
      }
    }
  }

  /// How often a dataset is reloaded before it is treated as one that cannot be followed.
  private static let beginsMax = 3

  /// Applies the entries that the log has after the node's position of a dataset.
  ///
  /// - Parameter tickets: Tickets whose changes may be among these entries; those are closed.
  /// - Throws: ``SharedLogFailure``; ``LayoutCacheError`` with `noSuchDataset` if the dataset is
  ///   deleted.
  func follow(
    _ dataset: String, _ queue: DatasetCommitQueue, _ tickets: [DatasetCommitQueue.Ticket]
  ) throws {
    // While other nodes make progress, the log may be cut again, beyond the loaded checkpoint.
    var beginsLeft = Self.beginsMax
    var hasBegunForDamage = false
    while true {
      guard let position = try cache.position(of: dataset, in: log) else {
        return try ensureResident(dataset, queue)
      }
      let sent = options.now()
      let tail = try read {
        try $0.tail(
          of: position.dataset, after: position.sequence, bytesMax: options.followedBytes)
      }
      guard let tail else {
        try forgetHere(queue)
        return try ensureResident(dataset, queue)
      }
      let (head, entries) = (tail.head, tail.entries)
      queue.status { $0.epoch = head.epoch }
      if Self.isLost(position, head.position, next: entries.first) {
        try noteLostTail(of: queue, position, head.position)
      }
      do {
        if entries.isEmpty {
          if head.position == position { return queue.status { $0.confirm(since: sent) } }
          // The entries were deleted before this node read them, or the log has another history.
          throw ReplicationError.diverged
        }
        try apply(
          entries.map { entry in
            LoggedEntry(
              entry: entry, ticket: tickets.first { $0.request.proposal == entry.proposal })
          }, after: position, dataset, queue)
        if entries.last?.position(in: position.dataset) == head.position {
          return queue.status { $0.confirm(since: sent) }
        }
        beginsLeft = Self.beginsMax
      } catch ReplicationError.diverged where beginsLeft > 0 {
        beginsLeft -= 1
        try begin(head, queue)
      } catch let error as LayoutCacheError where error.category == .corrupt {
        // Either the local state is damaged, or no node can apply the entry.
        if hasBegunForDamage { throw quarantine(queue, error) }
        hasBegunForDamage = true
        try begin(head, queue)
      } catch let misfit as ReplicationError {
        throw quarantine(queue, misfit)
      }
    }
  }

  /// Quarantines a dataset that cannot be followed: it stays unchanged for a while.
  private func quarantine(_ queue: DatasetCommitQueue, _ reason: any Error) -> LayoutCacheError {
    let now = options.now()
    let reason = "\(reason)"
    let isKnown = queue.status { status in
      status.quarantined = (reason, now)
      defer { status.reportedQuarantine = reason }
      return status.reportedQuarantine == reason
    }
    if !isKnown { options.report(.quarantined(dataset: queue.dataset, reason: reason)) }
    return Self.isQuarantined(reason)
  }

  // MARK: Forks

  /// Returns whether the log lacks an entry that the node has applied. A log that was only cut
  /// before a checkpoint has later entries.
  ///
  /// - Parameters:
  ///   - position: The node's position.
  ///   - next: The log's first entry after it; `nil` for none.
  private static func isLost(
    _ position: SharedPosition, _ head: SharedPosition, next: SharedEntry?
  ) -> Bool {
    guard let next else {
      return head != position && head.sequence <= position.sequence
    }
    return next.sequence == position.sequence + 1 && !next.isNext(after: position.chain)
  }

  /// Records that the log has lost entries: an operator must know, and readers that have seen
  /// them are told that they are of another history.
  private func noteLostTail(
    of queue: DatasetCommitQueue, _ position: SharedPosition, _ head: SharedPosition
  ) throws {
    let first = queue.status { $0.chains.first } ?? position.sequence
    let entries = try read {
      try $0.entries(of: position.dataset, after: first - 1, bytesMax: options.followedBytes)
    }
    queue.status { $0.loseTail(allBut: entries, end: head.sequence) }
    count { $0.lostTailCount += 1 }
    options.report(
      .lostTail(dataset: queue.dataset, applied: position.sequence, found: head.sequence))
  }

  /// Follows the log for a dataset in the background. The next poll retries a failure.
  func followForPoll(_ dataset: Behind) {
    let (queue, name) = (dataset.queue, dataset.queue.dataset)
    do {
      try follow(dataset)
      let hasFailed = queue.status { $0.followFailure.take() } != nil
      if hasFailed { options.report(.followingResumed(dataset: name)) }
    } catch {
      let reason = "\(error)"
      let isKnown = queue.status { status in
        defer { status.followFailure = reason }
        return status.followFailure != nil
      }
      if isKnown { return }
      count { $0.failedFollowCount += 1 }
      options.report(.followingFailed(dataset: name, reason: reason))
    }
  }
}
