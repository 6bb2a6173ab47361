import LayoutCache
import LayoutGeometry
import LayoutReplication
import Synchronization

// Following the log: applying new entries to resident datasets.

extension ClusterNode {
  /// Checks the heads of all resident datasets, and follows the log where they lag. A dataset that
  /// cannot be followed does not keep others from it.
  ///
  /// - Throws: ``SharedLogFailure`` if the log cannot be read; the datasets are then unchanged.
  package func poll() throws {
    for behind in try look(at: residents()) { followForPoll(behind) }
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
    let look = try look(at: known.map(\.position.dataset))
    let info = look.info
    guard info.incarnation == log else { throw ClusterError.diverged }
    try followTemplates(to: info.templates)
    let present = Dictionary(look.heads.map { ($0.position.dataset, $0) }) { first, _ in first }
    var behind: [Behind] = []
    var entryCount = 0
    for (queue, position) in known {
      let head = present[position.dataset]
      let isThere = queue.status { status in
        guard let head, head.position == status.reached, isOfHistory(of: head, status),
          !status.isLoading
        else { return false }
        guard head.name.isExactly(queue.dataset) else { return false }
        status.confirm(since: sent)
        return true
      }
      if isThere { continue }
      entryCount += max(0, (head?.position.sequence ?? 0) - position.sequence)
      behind.append(Behind(queue: queue, dataset: position.dataset, head: head))
    }
    view.withLock { view in
      view.lag = entryCount
      view.lookedAt = sent
      view.rules = info.rules
      view.isReplicated = info.isReplicated
    }
    return behind
  }

  /// Follows the log for a dataset that is behind.
  ///
  /// - Throws: ``LayoutCacheError``, busy for a dataset in quarantine; ``SharedLogFailure``.
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
      try alone(with: name, and: head.name) { try self.takeName(head, from: $0, to: $1) }
    }
    // Following would fail again, perhaps after reading a long archive.
    let now = options.now()
    let quarantined = behind.queue.status { $0.quarantined }
    if let quarantined, now - quarantined.at < options.quarantinedFor {
      throw Self.isQuarantined(quarantined.reason)
    }
    try Self.mapped {
      try aloneByName(head.name) { try self.follow(head.name, $0, []) }
    }
  }

  /// Returns whether the dataset in the file has the history that the log has.
  private func isOfHistory(of head: SharedHead, _ status: ReplicaStatus) -> Bool {
    status.history == LayoutCache.history(of: head.begin, in: log, epoch: head.epoch)
  }

  /// Gives a dataset in the file the name that it has in the log. A dataset that has the name in
  /// the file is evicted: it was deleted or renamed.
  func takeName(
    _ head: SharedHead, from queue: DatasetCommitQueue, to other: DatasetCommitQueue
  ) throws {
    guard try position(of: queue.dataset)?.dataset == head.position.dataset,
      !queue.dataset.isExactly(head.name)
    else { return }
    if try position(of: head.name) != nil { try forgetHere(other) }
    let used = queue.status { $0.used }
    try moving([queue, other]) {
      try cache.takeName(head.name, from: queue.dataset)
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
    for queue in queues { leave(queue) }
    let result = Result { try body() }
    for queue in queues {
      guard let replica = try cache.replica(of: queue.dataset, in: log) else { continue }
      arrive(replica, queue)
    }
    try result.get()
  }

  /// Deletes a dataset from the file.
  func forgetHere(_ queue: DatasetCommitQueue) throws {
    try moving([queue]) { try cache.forget(queue.dataset) }
  }

  package func catchUp(with dataset: String?) throws {
    try Self.mapped {
      if let reason = reasonNotToTry { throw SharedLogFailure.unavailable(reason) }
      if let dataset { return try bringUpToDate(dataset, since: options.now()) }
      try followTemplates(to: look(at: [Int64]()).info.templates)
    }
  }

  /// Makes a dataset resident.
  ///
  /// - Throws: ``LayoutCacheError`` with `noSuchDataset`; ``SharedLogFailure``.
  package func ensureResident(_ dataset: String) throws {
    if try cache.position(of: dataset, in: log) != nil { return }
    try Self.mapped {
      if let reason = reasonNotToTry { throw SharedLogFailure.unavailable(reason) }
      try aloneByName(dataset) { try self.ensureResident(dataset, $0) }
    }
  }

  /// - Parameter tickets: As in ``follow(_:_:_:)``.
  func ensureResident(
    _ dataset: String, _ queue: DatasetCommitQueue, _ tickets: [DatasetCommitQueue.Ticket] = []
  ) throws {
    if try cache.position(of: dataset, in: log) != nil { return }
    guard let head = try find(dataset) else { throw LayoutCacheError(.noSuchDataset(dataset)) }
    if let name = residentName(of: head.position.dataset), !name.isExactly(dataset) {
      throw FormerName(head: head, name: name)
    }
    queue.status { $0.epoch = head.epoch }
    try begin(head, queue)
    try follow(dataset, queue, tickets)
  }

  /// Loads a dataset from a checkpoint, an archive or the start of the log, in this order.
  private func begin(_ head: SharedHead, _ queue: DatasetCommitQueue) throws {
    // A log that has lost entries may give out the reserved ones again.
    layoutIDs.withLock { $0 = 0..<0 }
    try moving([queue]) { try load(head) }
    queue.status { $0.quarantined = nil }
  }

  private func load(_ head: SharedHead) throws {
    if try loadCheckpoint(of: head) { return }
    if try beginWithArchive(head) { return }
    let start = SharedPosition(dataset: head.position.dataset, sequence: 0, chain: head.begin)
    try cache.adopt(head.name, at: start, in: log, epoch: head.epoch, time: head.time)
  }

  package func rebuild(_ dataset: String) throws {
    try Self.mapped {
      try aloneByName(dataset) { queue in
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
  ///   deleted; ``FormerName`` if all entries are applied, but the dataset has another name.
  func follow(
    _ dataset: String, _ queue: DatasetCommitQueue, _ tickets: [DatasetCommitQueue.Ticket]
  ) throws {
    // While other nodes make progress, the log may be cut again, beyond the loaded checkpoint.
    var beginsLeft = Self.beginsMax
    var hasBegunForDamage = false
    while true {
      guard let position = try cache.position(of: dataset, in: log) else {
        return try ensureResident(dataset, queue, tickets)
      }
      let sent = options.now()
      let tail: SharedTail?
      do {
        tail = try read {
          try $0.tail(
            of: position.dataset, after: position.sequence, bytesMax: options.followedBytes)
        }
      } catch let failure as SharedLogFailure {
        guard case .newerEntry = failure else { throw failure }
        throw quarantine(queue, failure)
      }
      guard let tail else {
        try forgetHere(queue)
        return try ensureResident(dataset, queue, tickets)
      }
      var (head, entries) = (tail.head, tail.entries)
      // The file has the dataset under this name, until it takes a new one.
      head.name = dataset
      let (isOfHistory, wasRaised) = queue.status { status in
        defer { status.epoch = head.epoch }
        return (self.isOfHistory(of: head, status), status.epoch > head.epoch)
      }
      if wasRaised || isOfHistory && Self.isLost(position, head.position, next: entries.first) {
        try noteLostTail(of: queue, position, head)
        continue
      }
      do {
        if !isOfHistory { throw ReplicationError.diverged }
        if entries.isEmpty {
          if head.position == position { return try confirm(tail.head, queue, since: sent) }
          // The entries were deleted before this node read them, or the log has another history.
          throw ReplicationError.diverged
        }
        try apply(entries, after: position, queue, tickets)
        if entries.last?.position(in: position.dataset) == head.position {
          return try confirm(tail.head, queue, since: sent)
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
      } catch let error as ReplicationError {
        throw quarantine(queue, error)
      }
    }
  }

  /// Records that the node has matched the log.
  private func confirm(
    _ head: SharedHead, _ queue: DatasetCommitQueue, since sent: Duration
  ) throws {
    guard head.name.isExactly(queue.dataset) else {
      throw FormerName(head: head, name: queue.dataset)
    }
    if queue.status({ $0.isLoading }) { try cache.endLoading(queue.dataset) }
    queue.status { $0.confirm(since: sent) }
  }
}
