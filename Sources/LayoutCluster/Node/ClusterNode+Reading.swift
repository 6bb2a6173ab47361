package import LayoutCache
import LayoutReplication
import Threads

// Reading the node's state, and reporting its age.

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
    guard status.isReadable, isFresh(status, bounds, staleAfter) else { return nil }
    switch bounds.least {
    case nil: break
    case .position(let token):
      do {
        if try !token.isReached(by: status) { return nil }
      } catch ClusterError.diverged where staleAfter != nil {
        // The log may have this history, after a fork or of another dataset under the same name,
        // which the node has not reached yet.
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

  /// Returns whether the node's state is fresh enough to be read without asking the log, or the
  /// log is not worth asking.
  private func isFresh(
    _ status: ReplicaStatus, _ bounds: ReadBounds, _ staleAfter: Duration?
  ) -> Bool {
    let now = options.now()
    let age = status.confirmed.map { now - $0 }
    if let ageMax = bounds.ageMax { return age.map { $0 <= ageMax } ?? false }
    guard let staleAfter else { return true }
    if let age, age <= staleAfter { return true }
    guard bounds.isNone else { return reasonNotToTry != nil }
    // Another reader has been waiting for too long.
    if let since = status.awaited, now - since > options.readTimeout { return true }
    return !isWorthWaiting
  }

  /// Admits a reader: makes the dataset resident, and follows the log as far as the reader
  /// requires. Blocks the calling thread.
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
    if let lease = try admit(dataset, bounds, staleAfter: options.staleAfter) { return lease }
    if bounds.isNone, lastState(of: dataset) == nil, isUnknown(dataset) {
      throw LayoutCacheError(.noSuchDataset(dataset))
    }
    do {
      try Self.mapped {
        if let reason = reasonNotToTry { throw SharedLogFailure.unavailable(reason) }
        try aloneByName(dataset) { queue in
          // Another thread may have followed the log in the meantime.
          let staleAfter = self.options.staleAfter
          if try self.admit(dataset, bounds, staleAfter: staleAfter) != nil { return }
          try self.ensureResident(dataset, queue)
          if try self.admit(dataset, bounds, staleAfter: staleAfter) != nil { return }
          try self.follow(dataset, queue, [])
        }
      }
    } catch let error as LayoutCacheError {
      return try admit(dataset, bounds, despite: error)
    }
    if let lease = try admit(dataset, bounds, staleAfter: nil) { return lease }
    // The dataset may have been evicted again, from a file with space for few datasets.
    if attemptsLeft > 0, queueIfKnown(of: dataset)?.status({ $0.reached }) == nil {
      return try visit(dataset, bounds, attemptsLeft: attemptsLeft - 1)
    }
    throw ClusterError.replicaBehind(
      "neither this node nor the log has reached the requested revision")
  }

  /// Admits a reader of any age; `nil` if the dataset is not resident, or is being loaded.
  private func lastState(of dataset: String) -> ReadLease? {
    guard let queue = queueIfKnown(of: dataset) else { return nil }
    let status = use(queue)
    return status.isReadable ? ReadLease(status, queue, of: self) : nil
  }

  /// Admits a reader that the log could not be followed for, if it has no bounds and the dataset
  /// is readable.
  ///
  /// - Throws: `error`.
  private func admit(
    _ dataset: String, _ bounds: ReadBounds, despite error: LayoutCacheError
  ) throws -> ReadLease {
    if case .noSuchDataset = error.code { throw error }
    guard bounds.isNone, let lease = lastState(of: dataset) else { throw error }
    return lease
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
    guard status.isReadable, isFresh(status, bounds, staleAfter),
      try cache.revision(of: dataset) >= revision
    else { return nil }
    return ReadLease(status, queue, of: self)
  }

  /// Admits a reader, like ``visit(_:_:)``. While the log is asked, no thread of the caller is
  /// occupied. A reader without bounds of a resident dataset waits for at most
  /// ``ClusterOptions/readTimeout``, and then gets the node's last state.
  ///
  /// - Throws: As ``visit(_:_:)`` and ``asking(_:)``.
  package func acquireRead(
    _ dataset: String, _ bounds: ReadBounds = ReadBounds()
  ) async throws -> ReadLease {
    if let lease = try tryAcquireRead(dataset, bounds) { return lease }
    let visit = Task {
      try await inTurn(dataset) {
        try self.tryAcquireRead(dataset, bounds)
      } work: {
        try self.visit(dataset, bounds)
      }
    }
    let isBounded = !bounds.isNone || lastState(of: dataset) == nil
    do {
      if let lease = try await visit.value(within: isBounded ? nil : options.readTimeout) {
        return lease
      }
      throw LayoutCacheError(.sharedLogUnavailable("the log has not answered in time"))
    } catch let error as LayoutCacheError {
      return try admit(dataset, bounds, despite: error)
    }
  }

  /// Runs `work`, which asks the log for a dataset, on a thread for readers. Of each dataset one
  /// reader at a time does: many readers of a dataset whose log is stuck leave the other threads
  /// to other datasets. If the log cannot be read, those that wait fail too.
  ///
  /// - Parameter known: Returns what another reader has found in the meantime.
  func inTurn<R: Sendable>(
    _ dataset: String, known: () throws -> R?,
    work: @escaping @Sendable () throws -> R
  ) async throws -> R {
    let key = ExactKey(dataset)
    while !(try await turns.acquireOrWait(key)) {
      try Task.checkCancellation()
      if let found = try known() { return found }
    }
    var failure: LayoutCacheError?
    defer { turns.release(key, failing: failure) }
    do {
      return try await asking {
        let queue = self.queueIfKnown(of: dataset)
        queue?.status { $0.awaited = self.options.now() }
        defer { queue?.status { $0.awaited = nil } }
        return try work()
      }
    } catch let error as LayoutCacheError where error.category == .busy {
      failure = error
      throw error
    }
  }

  /// Runs a read of the log on a thread for readers. Does not wait for its answer any longer once
  /// the polls find that the log is unavailable, well before the call itself fails.
  ///
  /// - Throws: ``LayoutCacheError`` with `sharedLogUnavailable`; errors of `body`.
  package func asking<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    let call = Task {
      try await withTaskExecutorPreference(readThreads) { try await Self.onPreferredThread(body) }
    }
    let result = try await call.value {
      repeat {
        try await Task.sleep(for: self.options.pollInterval)
      } while self.reasonNotToTry == nil
    }
    if let result { return result }
    throw LayoutCacheError(.sharedLogUnavailable(reasonNotToTry ?? "it has not answered in time"))
  }

  @concurrent
  private static func onPreferredThread<R: Sendable>(
    _ body: @Sendable () throws -> R
  ) async throws -> R {
    try body()
  }

  func isConfirmed(_ dataset: String, since time: Duration) -> Bool {
    queueIfKnown(of: dataset)?.status { $0.confirmed.map { $0 >= time } } ?? false
  }

  /// Follows a dataset's log to its end at a time or later.
  package func bringUpToDate(_ dataset: String, since time: Duration) throws {
    try aloneByName(dataset) { queue in
      if self.isConfirmed(dataset, since: time) { return }
      try self.ensureResident(dataset, queue)
      try self.follow(dataset, queue, [])
    }
  }

  /// Returns the position to which the node has followed a dataset; `nil` if it is not resident.
  package func position(of dataset: String) throws -> SharedPosition? {
    try cache.position(of: dataset, in: log)
  }

  /// Returns an upper bound on the age of the node's state of a dataset; `nil` if unknown.
  package func age(of dataset: String) -> Duration? {
    queueIfKnown(of: dataset)?.status { $0.confirmed }.map { options.now() - $0 }
  }
}
