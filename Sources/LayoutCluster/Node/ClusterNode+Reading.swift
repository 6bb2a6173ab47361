package import LayoutCache

// Reading what the node has, and saying how old that is.

/// What a reader wants of the state that it is answered from.
package struct ReadBounds: Hashable, Sendable {
  /// How far it must be, at least.
  package enum Least: Hashable, Sendable {
    case revision(Int)
    case position(PositionToken)
  }

  package var least: Least?
  /// How long ago it must have been all that the log had, at most.
  package var ageMax: Duration?

  package init(least: Least? = nil, ageMax: Duration? = nil) {
    self.least = least
    self.ageMax = ageMax
  }

  var isNone: Bool { least == nil && ageMax == nil }
}

/// A dataset that a reader may now ask the node's cache for.
package struct DatasetVisit: Sendable {
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

  /// How long ago at most what the reader has found was all that the log had; `nil` where that
  /// is not known. To be asked for when the answer is made.
  package var age: Duration? { confirmed.map { node.options.now() - $0 } }

  /// Where the dataset is, at least as far as what the reader has found.
  package var token: PositionToken? {
    queue.status { $0.promised }.map { PositionToken($0, in: node.log) }
  }

  /// Why the node can't follow the dataset any more; `nil` where it does.
  package var quarantine: String? { queue.status { $0.quarantined?.reason } }

  /// Whether the dataset has not started again in the meantime: else what was found may be older
  /// than the visit says, and the reader asks again.
  package var isGood: Bool { queue.status { $0.beginCount } == beginCount }
}

extension ClusterNode {
  /// Lets a reader in who need not wait for anything.
  ///
  /// - Returns: `nil` where ``visit(_:_:)`` is to be asked, which may block.
  /// - Throws: ``LayoutCacheError`` with `sharedLogIsAway` where the node may not work with the
  ///   log.
  package func visitAtOnce(
    _ dataset: String, _ bounds: ReadBounds = ReadBounds()
  ) throws -> DatasetVisit? {
    try visitAtOnce(dataset, bounds, staleAfter: options.staleAfter)
  }

  /// - Parameter staleAfter: How old what is here may be, if the bounds allow that and the log is
  ///   there; `nil` for any age.
  private func visitAtOnce(
    _ dataset: String, _ bounds: ReadBounds, staleAfter: Duration?
  ) throws -> DatasetVisit? {
    if let reason = reasonOfRules { throw LayoutCacheError(.sharedLogIsAway(reason)) }
    guard let queue = queueIfKnown(of: dataset) else { return nil }
    let status = use(queue)
    guard let reached = status.reached, isFresh(status, bounds, staleAfter) else { return nil }
    switch bounds.least {
    case nil: break
    case .position(let token):
      do {
        if try !token.isReached(at: reached, in: log) { return nil }
      } catch ClusterError.diverged where staleAfter != nil {
        // It may be of a history that the log has, and this node is still to come upon: another
        // dataset under the name.
        return nil
      }
    case .revision: return nil
    }
    return DatasetVisit(status, queue, of: self)
  }

  /// Notes that somebody uses a dataset.
  private func use(_ queue: DatasetCommitQueue) -> ReplicaStatus {
    let now = options.now()
    return queue.status { status in
      status.used = now
      return status
    }
  }

  /// Whether what the node has is new enough to be read without a look at the log.
  private func isFresh(
    _ status: ReplicaStatus, _ bounds: ReadBounds, _ staleAfter: Duration?
  ) -> Bool {
    let age = status.confirmed.map { options.now() - $0 }
    if let ageMax = bounds.ageMax { return age.map { $0 <= ageMax } ?? false }
    guard let staleAfter else { return true }
    return age.map { $0 <= staleAfter } ?? false || reasonNotToTry != nil
  }

  /// Lets a reader in: brings the dataset here, and follows the log as far as the reader wants.
  ///
  /// Where the log is away, what the node has is read; bounds that do not hold are an error.
  ///
  /// - Throws: ``LayoutCacheError`` with `noSuchDataset`, `sharedLogIsAway`; ``ClusterError``.
  package func visit(
    _ dataset: String, _ bounds: ReadBounds = ReadBounds()
  ) throws -> DatasetVisit {
    try visit(dataset, bounds, attemptsLeft: 3)
  }

  private func visit(
    _ dataset: String, _ bounds: ReadBounds, attemptsLeft: Int
  ) throws -> DatasetVisit {
    let isResident = try cache.position(of: dataset, in: log) != nil
    if let visit = try admit(dataset, bounds, staleAfter: options.staleAfter) { return visit }
    do {
      try Self.mapped {
        if let reason = reasonNotToTry { throw SharedLogFailure.unavailable(reason) }
        try alone(with: dataset) { queue in
          // Somebody else may have followed it in the meantime.
          let staleAfter = self.options.staleAfter
          if try self.admit(dataset, bounds, staleAfter: staleAfter) != nil { return }
          try self.ensureResident(dataset, queue)
          if try self.admit(dataset, bounds, staleAfter: staleAfter) != nil { return }
          try self.follow(dataset, queue, [])
        }
      }
    } catch let error as LayoutCacheError {
      if case .noSuchDataset = error.code { throw error }
      // The last good state is better than nothing.
      guard isResident, bounds.isNone,
        let visit = withQueue(
          of: dataset,
          { queue -> DatasetVisit? in
            let status = use(queue)
            return status.reached.map { _ in DatasetVisit(status, queue, of: self) }
          })
      else { throw error }
      return visit
    }
    if let visit = try admit(dataset, bounds, staleAfter: nil) { return visit }
    // It may have left the file again, which has queue for few.
    if attemptsLeft > 0, queueIfKnown(of: dataset)?.status({ $0.reached }) == nil {
      return try visit(dataset, bounds, attemptsLeft: attemptsLeft - 1)
    }
    throw ClusterError.replicaBehind("the dataset is not as far here, nor in the log")
  }

  /// Lets a reader in whose bounds hold; asks the file, where that must be.
  private func admit(
    _ dataset: String, _ bounds: ReadBounds, staleAfter: Duration?
  ) throws -> DatasetVisit? {
    if let visit = try visitAtOnce(dataset, bounds, staleAfter: staleAfter) { return visit }
    guard case .revision(let revision) = bounds.least, let queue = queueIfKnown(of: dataset) else {
      return nil
    }
    // Before the look at the file, so that the age is of what is found there.
    let status = use(queue)
    guard status.reached != nil, isFresh(status, bounds, staleAfter),
      try cache.revision(of: dataset) >= revision
    else { return nil }
    return DatasetVisit(status, queue, of: self)
  }

  // MARK: How far

  /// How far the node has followed a dataset; `nil` where it is not resident.
  package func position(of dataset: String) throws -> SharedPosition? {
    try cache.position(of: dataset, in: log)
  }

  /// How long ago what the node has of a dataset was all that the log had, at most; `nil` where
  /// that is not known.
  package func age(of dataset: String) -> Duration? {
    queueIfKnown(of: dataset)?.status { $0.confirmed }.map { options.now() - $0 }
  }

  /// Makes sure that the node has come to a sequence of a dataset: that which a client's own
  /// write has, so that it reads that.
  ///
  /// - Throws: ``LayoutCacheError`` with `sharedLogIsAway` where the log can't be asked, or
  ///   does not go so far itself.
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
        .sharedLogIsAway("the log of dataset '\(dataset)' does not go as far as \(sequence)"))
    }
  }

  // MARK: Lists

  /// Datasets of the log in the order of their names' bytes.
  ///
  /// - Parameters:
  ///   - prefix: What the names begin with; empty for all.
  ///   - name: Those after it; `nil` from the first.
  ///   - countMax: At least 2 with a prefix.
  /// - Returns: Names and revisions.
  /// - Throws: ``LayoutCacheError`` with `sharedLogIsAway`.
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
