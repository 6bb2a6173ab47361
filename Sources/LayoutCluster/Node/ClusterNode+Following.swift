import LayoutCache
import Synchronization

// Carrying out what the log has decided on.

extension ClusterNode {
  /// Looks where the log is, and follows it, for all resident datasets.
  ///
  /// - Throws: ``SharedLogFailure`` where the log can't be read; what the node has is then as
  ///   old as before.
  package func poll() throws {
    for behind in try look(at: residents()) { try follow(behind) }
  }

  /// A resident dataset that is not as the log has it.
  struct Behind {
    let queue: DatasetCommitQueue
    /// The dataset's number when the log was looked at.
    let dataset: Int64
    /// `nil` where the log does not have the dataset any more.
    let head: SharedHead?
  }

  /// Looks where some resident datasets are in the log.
  ///
  /// - Returns: Those that are to be followed.
  /// - Throws: ``SharedLogFailure``; ``ClusterError`` with `diverged` where another log is in
  ///   place of the node's.
  func look(at queues: [DatasetCommitQueue]) throws -> [Behind] {
    let known = queues.compactMap { queue in
      queue.status { $0.reached }.map { (queue, position: $0) }
    }
    let sent = options.now()
    contact.withLock { $0.begin(at: sent) }
    let (info, heads) = try read { reader in
      (try reader.info(), try reader.heads(of: known.map(\.position.dataset)))
    }
    guard info.incarnation == log else { throw ClusterError.diverged }
    let present = Dictionary(heads.map { ($0.position.dataset, $0) }) { first, _ in first }
    var behind: [Behind] = []
    var entryCount = 0
    for (queue, position) in known {
      let head = present[position.dataset]
      let isThere = queue.status { status in
        guard let head, head.position == status.reached else { return false }
        status.confirm(since: sent)
        return head.name.utf8.elementsEqual(queue.dataset.utf8)
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

  /// Follows the log with a dataset that is behind. One that can't be followed keeps no other
  /// from it: it is known by its quarantine, or is gone.
  ///
  /// - Throws: ``SharedLogFailure``; ``LayoutCacheError`` with `sharedLogIsAway`.
  func follow(_ behind: Behind) throws {
    let name = behind.queue.dataset
    guard let head = behind.head else {
      return try alone(with: name) { queue in
        // Another may have come under the name in the meantime.
        guard queue.status({ $0.reached?.dataset }) == behind.dataset else { return }
        try self.forgetHere(queue)
      }
    }
    if !head.name.utf8.elementsEqual(name.utf8) {
      try alone(with: name) { try self.takeName(head, from: $0) }
    }
    // It would fail again, and may have to read a long archive for that.
    let now = options.now()
    let isTriedLater = behind.queue.status { status in
      status.quarantined.map { now - $0.at < options.quarantinedFor } ?? false
    }
    if isTriedLater { return }
    do {
      try alone(with: head.name) { try self.follow(head.name, $0, []) }
    } catch let error as LayoutCacheError {
      if case .sharedLogIsAway = error.code { throw error }
    }
  }

  /// Gives a dataset the name that it has in the log. One that has it in the file is gone, or
  /// has another by now.
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

  /// Takes a dataset out of the node's file; whoever asks for it brings it back.
  package func evict(_ dataset: String) throws {
    try alone(with: dataset) { try self.forgetHere($0) }
  }

  /// Runs `body`, which puts other datasets into the file than there were, and notes where they
  /// are behind it, whether it has come to its end or not.
  private func moving(_ queues: [DatasetCommitQueue], _ body: () throws -> Void) throws {
    for queue in queues { queue.status { $0.leave() } }
    let result = Result { try body() }
    for queue in queues {
      guard let position = try cache.position(of: queue.dataset, in: log) else { continue }
      queue.status { $0.arrive(at: position) }
    }
    try result.get()
  }

  /// Takes a dataset out of the file.
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

  /// Begins a dataset again, from its checkpoint or from nothing.
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

  /// How often a dataset is started again before it is taken to be one that can't be followed.
  private static let beginsMax = 3

  /// Carries out what the log holds after what the node has of a dataset.
  ///
  /// - Parameter tickets: Those whose changes may have come in: they are closed then.
  /// - Throws: ``SharedLogFailure``; ``LayoutCacheError`` with `noSuchDataset` where the dataset
  ///   is gone.
  func follow(
    _ dataset: String, _ queue: DatasetCommitQueue, _ tickets: [DatasetCommitQueue.Ticket]
  ) throws {
    // The log may be cut again, past what it begins with, as often as others make progress.
    var beginsLeft = Self.beginsMax
    var hasBegunForDamage = false
    while true {
      guard let position = try cache.position(of: dataset, in: log) else {
        return try ensureResident(dataset, queue)
      }
      let sent = options.now()
      let (head, entries) = try read { reader in
        (
          try reader.heads(of: [position.dataset]).first,
          try reader.entries(
            of: position.dataset, after: position.sequence, bytesMax: options.followedBytes)
        )
      }
      guard let head else {
        try forgetHere(queue)
        return try ensureResident(dataset, queue)
      }
      queue.status { $0.epoch = head.epoch }
      do {
        if entries.isEmpty {
          if head.position == position { return queue.status { $0.confirm(since: sent) } }
          // Cut off before it was followed, or another history.
          throw ReplicationError.diverged
        }
        try apply(
          entries.map { entry in
            LoggedEntry(
              entry: entry, ticket: tickets.first { $0.request.proposal == entry.proposal })
          }, behind: position, dataset, queue)
        beginsLeft = Self.beginsMax
      } catch ReplicationError.diverged where beginsLeft > 0 {
        beginsLeft -= 1
        try begin(head, queue)
      } catch let error as LayoutCacheError where error.category == .corrupt {
        // Either what is here is damaged, or the entry fits no dataset.
        if hasBegunForDamage { throw quarantine(queue, error) }
        hasBegunForDamage = true
        try begin(head, queue)
      } catch let misfit as ReplicationError {
        throw quarantine(queue, misfit)
      }
    }
  }

  /// Leaves a dataset as it is: it can't be followed any more.
  private func quarantine(_ queue: DatasetCommitQueue, _ reason: any Error) -> LayoutCacheError {
    let now = options.now()
    queue.status { $0.quarantined = ("\(reason)", now) }
    return Self.isQuarantined("\(reason)")
  }
}
