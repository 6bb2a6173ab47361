package import LayoutCache

// Reading the node's state, and reporting its age.

/// A reader's requirements on the state it is answered from.
package struct ReadBounds: Hashable, Sendable {
  /// The minimum position of the state.
  package enum Least: Hashable, Sendable {
    case revision(Int)
    case position(PositionToken)
  }

  package var least: Least?
  /// The maximum age: the time since the state was last known to match the log.
  package var ageMax: Duration?

  package init(least: Least? = nil, ageMax: Duration? = nil) {
    self.least = least
    self.ageMax = ageMax
  }

  var isNone: Bool { least == nil && ageMax == nil }
}

/// Admission to read a dataset from the node's cache.
package struct ReadLease: Sendable {
  private let node: ClusterNode
  private let queue: DatasetCommitQueue
  private let confirmed: Duration?
  private let beginCount: Int

  init(_ status: ReplicaStatus, _ queue: DatasetCommitQueue, of node: ClusterNode) {
    self.node = node
    self.queue = queue
    confirmed = status.confirmed
    beginCount = status.beginCount
  }

  /// An upper bound on the age of the state that was read; `nil` if unknown. Read it when the
  /// answer is complete.
  package var age: Duration? { confirmed.map { node.options.now() - $0 } }

  /// A position of the dataset, no earlier than the state that was read.
  package var token: PositionToken? {
    queue.status { $0.promised }.map { PositionToken($0, in: node.log) }
  }

  /// The reason why the node cannot follow the dataset; `nil` if it can.
  package var quarantine: String? { queue.status { $0.quarantined?.reason } }

  /// Whether the dataset was not reloaded while the lease was held. If it was, the state may be
  /// older than the lease reports, and the reader must ask again.
  package var isGood: Bool { queue.status { $0.beginCount } == beginCount }
}

extension ClusterNode {
  /// Admits a reader if that needs no waiting.
  ///
  /// - Returns: `nil` if the reader must call ``visit(_:_:)``, which may block.
  /// - Throws: ``LayoutCacheError`` with `sharedLogUnavailable` if the node does not support the
  ///   log's rules.
  package func tryAcquireRead(
    _ dataset: String, _ bounds: ReadBounds = ReadBounds()
  ) throws -> ReadLease? {
    try tryAcquireRead(dataset, bounds, staleAfter: options.staleAfter)
  }

  /// - Parameter staleAfter: The maximum age while the log is available, if `bounds` states none;
  ///   `nil` for any age.
  private func tryAcquireRead(
    _ dataset: String, _ bounds: ReadBounds, staleAfter: Duration?
  ) throws -> ReadLease? {
    if let reason = reasonOfRules { throw LayoutCacheError(.sharedLogUnavailable(reason)) }
    guard let queue = queueIfKnown(of: dataset) else { return nil }
    let status = use(queue)
    guard let reached = status.reached, isFresh(status, bounds, staleAfter) else { return nil }
    switch bounds.least {
    case nil: break
    case .position(let token):
      do {
        if status.chains.isLost(token.sequence, token.chain) { throw ClusterError.diverged }
        if try !token.isReached(at: reached, in: log) { return nil }
      } catch ClusterError.diverged where staleAfter != nil {
        // The log may have this history, of another dataset under the same name, which the node
        // has not reached yet.
        return nil
      }
    case .revision: return nil
    }
    return ReadLease(status, queue, of: self)
  }

  /// Records that a dataset is used, and returns its status.
  private func use(_ queue: DatasetCommitQueue) -> ReplicaStatus {
    let now = options.now()
    return queue.status { status in
      status.used = now
      return status
    }
  }

  /// Returns whether the node's state is fresh enough to be read without asking the log.
  private func isFresh(
    _ status: ReplicaStatus, _ bounds: ReadBounds, _ staleAfter: Duration?
  ) -> Bool {
    let age = status.confirmed.map { options.now() - $0 }
    if let ageMax = bounds.ageMax { return age.map { $0 <= ageMax } ?? false }
    guard let staleAfter else { return true }
    return age.map { $0 <= staleAfter } ?? false || reasonNotToTry != nil
  }

  /// Admits a reader: makes the dataset resident, and follows the log as far as the reader
  /// requires.
  ///
  /// If the log is unavailable, readers without bounds get the node's last state; unmet bounds
  /// are an error.
  ///
  /// - Throws: ``LayoutCacheError`` with `noSuchDataset`, `sharedLogUnavailable`; ``ClusterError``.
  package func visit(
    _ dataset: String, _ bounds: ReadBounds = ReadBounds()
  ) throws -> ReadLease {
    try visit(dataset, bounds, attemptsLeft: 3)
  }

  private func visit(
    _ dataset: String, _ bounds: ReadBounds, attemptsLeft: Int
  ) throws -> ReadLease {
    let isResident = try cache.position(of: dataset, in: log) != nil
    if let visit = try admit(dataset, bounds, staleAfter: options.staleAfter) { return visit }
    do {
      try Self.mapped {
        if let reason = reasonNotToTry { throw SharedLogFailure.unavailable(reason) }
        try alone(with: dataset) { queue in
          // Another thread may have followed the log in the meantime.
          let staleAfter = self.options.staleAfter
          if try self.admit(dataset, bounds, staleAfter: staleAfter) != nil { return }
          try self.ensureResident(dataset, queue)
          if try self.admit(dataset, bounds, staleAfter: staleAfter) != nil { return }
          try self.follow(dataset, queue, [])
        }
      }
    } catch let error as LayoutCacheError {
      if case .noSuchDataset = error.code { throw error }
      // Fall back to the last known state.
      guard isResident, bounds.isNone,
        let visit = withQueue(
          of: dataset,
          { queue -> ReadLease? in
            let status = use(queue)
            return status.reached.map { _ in ReadLease(status, queue, of: self) }
          })
      else { throw error }
      return visit
    }
    if let visit = try admit(dataset, bounds, staleAfter: nil) { return visit }
    // The dataset may have been evicted again, from a file with space for few datasets.
    if attemptsLeft > 0, queueIfKnown(of: dataset)?.status({ $0.reached }) == nil {
      return try visit(dataset, bounds, attemptsLeft: attemptsLeft - 1)
    }
    throw ClusterError.replicaBehind(
      "neither this node nor the log has reached the requested revision")
  }

  /// Admits a reader whose bounds are met. Reads the file only if necessary.
  private func admit(
    _ dataset: String, _ bounds: ReadBounds, staleAfter: Duration?
  ) throws -> ReadLease? {
    if let visit = try tryAcquireRead(dataset, bounds, staleAfter: staleAfter) { return visit }
    guard case .revision(let revision) = bounds.least, let queue = queueIfKnown(of: dataset) else {
      return nil
    }
    // Read before the file, so that the age applies to the state found there.
    let status = use(queue)
    guard status.reached != nil, isFresh(status, bounds, staleAfter),
      try cache.revision(of: dataset) >= revision
    else { return nil }
    return ReadLease(status, queue, of: self)
  }

  // MARK: Positions

  /// Returns the position to which the node has followed a dataset; `nil` if it is not resident.
  package func position(of dataset: String) throws -> SharedPosition? {
    try cache.position(of: dataset, in: log)
  }

  /// Returns an upper bound on the age of the node's state of a dataset; `nil` if unknown.
  package func age(of dataset: String) -> Duration? {
    queueIfKnown(of: dataset)?.status { $0.confirmed }.map { options.now() - $0 }
  }

  /// Follows a dataset at least to a sequence, such as that of a client's own write, so that the
  /// client reads it.
  ///
  /// - Throws: ``LayoutCacheError`` with `sharedLogUnavailable` if the log cannot be read, or
  ///   ends before the sequence.
  package func follow(_ dataset: String, to sequence: Int) throws {
    func isThere() throws -> Bool {
      try position(of: dataset).map { $0.sequence >= sequence } ?? false
    }
    if try isThere() { return }
    try Self.mapped {
      try alone(with: dataset) { queue in
        try self.ensureResident(dataset, queue)
        try self.follow(dataset, queue, [])
      }
    }
    guard try isThere() else {
      throw LayoutCacheError(
        .sharedLogUnavailable("the log of dataset '\(dataset)' does not reach entry \(sequence)"))
    }
  }

  // MARK: Lists

  /// Returns datasets of the log in the order of their names' UTF-8 bytes.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the names; empty for all.
  ///   - name: The name after which to start; `nil` to start with the first.
  ///   - countMax: At least 2 with a prefix.
  /// - Returns: The names and revisions, and whether the datasets are resident.
  /// - Throws: ``LayoutCacheError`` with `sharedLogUnavailable`.
  package func datasets(
    prefix: String = "", after name: String?, countMax: Int
  ) throws -> [(name: String, revision: Int, isResident: Bool)] {
    try Self.mapped {
      if let reason = reasonNotToTry { throw SharedLogFailure.unavailable(reason) }
      let heads = try read { reader in
        let isInside = name.map { !$0.utf8.lexicographicallyPrecedes(prefix.utf8) } ?? false
        if isInside || prefix.isEmpty {
          return try reader.datasets(after: name, countMax: countMax)
        }
        let first = try reader.dataset(named: prefix).map { [$0] } ?? []
        return try first + reader.datasets(after: prefix, countMax: countMax - first.count)
      }
      return heads.prefix { $0.name.utf8.starts(with: prefix.utf8) }.map { head in
        (
          head.name, head.revision,
          queueIfKnown(of: head.name)?.status { $0.reached != nil } ?? false
        )
      }
    }
  }
}
