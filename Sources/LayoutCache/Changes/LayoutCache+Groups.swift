import LayoutGeometry

// The changes of several tasks in one transaction, which shares its sync and its pages of the
// write-ahead log among them.

/// A change that waits for a transaction.
struct QueuedChange: Sendable {
  var dataset: String
  var request: ChangeRequest
  /// Creates the answer to the request; see ``LayoutCache/commit(_:to:answer:)``.
  var answer: (@Sendable (Commit) -> [UInt8])?
}

/// A failure to read or write within a group. The group is rolled back.
private struct GroupFailure: Error {}

extension LayoutCache {
  /// Commits the first waiting changes on the cache's executor, and then the others.
  ///
  /// First the tasks that are ready to run continue, and join the group.
  func commitWaiting() {
    Task.detached { [self] in
      await Task.yield()
      Task.detached(executorPreference: executor) { [self] in
        let group = commits.takeGroup()
        let outcomes = commitTogether(group.map(\.change))
        commits.end(group, with: outcomes, next: commitWaiting)
      }
    }
  }

  /// Commits changes in order, each with a separate revision and outcome, in one transaction.
  ///
  /// A rejected change does not affect the others. If reading or writing fails for one of them,
  /// the transaction is rolled back, and each change is committed in a separate one. If the
  /// transaction cannot begin or cannot commit, each change fails with that error.
  ///
  /// - Returns: The outcome of each change, without the work after the commit; see
  ///   ``finish(_:of:answer:)``.
  func commitTogether(_ changes: [QueuedChange]) -> [CommitQueue.Outcome] {
    do {
      return try call { _ in
        guard changes.count > 1, try coordinator() == nil else { return decideEach(changes) }
        do {
          return try allOrNothing { try commitInOneTransaction(changes) }
        } catch is GroupFailure {
          return decideEach(changes)
        }
      }
    } catch {
      return changes.map { _ in .failure(error) }
    }
  }

  private func decideEach(_ changes: [QueuedChange]) -> [CommitQueue.Outcome] {
    changes.map { change in
      Result { try decide(change.request, to: change.dataset, answer: change.answer) }
        .mapError { LayoutCacheError(mapping: $0, path: path) ?? $0 }
    }
  }

  /// - Throws: ``GroupFailure``; ``LayoutCacheError`` if the transaction cannot begin or commit.
  private func commitInOneTransaction(
    _ changes: [QueuedChange]
  ) throws -> [CommitQueue.Outcome] {
    let numbers = Dictionary(grouping: changes.indices) { ExactKey(changes[$0].dataset) }
    // In the order of the first changes, so that runs are repeatable.
    let runs = numbers.sorted { $0.value[0] < $1.value[0] }
    let outcomes = try changeAll(runs.map(\.key.string), isRepeatable: true) { index, change in
      try runs[index].value.map { number in
        do {
          return try outcome(of: changes[number], at: clock.now(), in: &change)
            .mapError { $0 as any Error }
        } catch {
          throw GroupFailure()
        }
      }
    } onMissing: { index, error in
      guard let rejection = rejection(error) else { throw GroupFailure() }
      return runs[index].value.map { _ in .failure(rejection) }
    }
    var byNumber: [Int: CommitQueue.Outcome] = [:]
    for (run, outcomes) in zip(runs, outcomes) {
      for (number, outcome) in zip(run.value, outcomes) { byNumber[number] = outcome }
    }
    return changes.indices.map { number in
      guard let outcome = byNumber[number] else {
        preconditionFailure("each change belongs to a run")
      }
      return outcome
    }
  }

  /// Resolves and applies a change on the state after the earlier ones of a transaction.
  ///
  /// - Parameters:
  ///   - time: The time of the change, in milliseconds since 1970.
  ///   - isLogged: Whether the change is decided at its place in a shared log.
  /// - Returns: The outcome, without the work after the commit; or the error of a change that was
  ///   rejected, and has changed nothing.
  /// - Throws: An error that is not that of the change, but of the file: the transaction must be
  ///   rolled back.
  func outcome(
    of queued: QueuedChange, at time: Int64, isLogged: Bool = false,
    in change: inout DatasetChange
  ) throws -> Result<ChangeOutcome, LayoutCacheError> {
    let before = change.state
    change.begin(at: time, isLogged: isLogged)
    defer { noteLoaded(change.session) }
    let resolution: ChangeResolution
    do {
      resolution = try resolve(queued.request, in: &change)
    } catch {
      guard let rejection = rejection(error) else { throw error }
      // Nothing was written. The layouts of a rejected change stay as they were.
      change.state = before
      return .failure(rejection)
    }
    return .success(try apply(resolution, of: queued.request, to: &change, answer: queued.answer))
  }

  /// Returns an error of a change itself; `nil` for one of the file: SQLite may have rolled back
  /// the transaction already.
  private func rejection(_ error: any Error) -> LayoutCacheError? {
    guard let own = LayoutCacheError(mapping: error, path: path), own.isRejection else {
      return nil
    }
    return own
  }
}

extension LayoutCacheError {
  /// Whether the error is about the requested change, and not about the file.
  fileprivate var isRejection: Bool {
    switch code {
    case .database, .fileReplaced, .closed, .inUse, .belongsToNode, .outcomeUnknown,
      .sharedLogUnavailable, .preparing:
      false
    default: true
    }
  }
}

extension ChangeRequest {
  /// An estimate of the work under the write lock: the number of items that the batch names, plus
  /// one for each KiB of data.
  var weight: Int { operations.reduce(0) { $0 + $1.weight } }
}

extension BatchOperation {
  fileprivate var weight: Int {
    switch self {
    case .insert(let items, _): items.reduce(1) { $0 + 1 + $1.data.kibibytes }
    case .upsert(let items, _, _): items.reduce(1) { $0 + 1 + $1.newData.kibibytes }
    case .delete(let keys, _), .hide(let keys, _): 1 + keys.count
    case .preferLengths(_, let lengths, _): 1 + lengths.count
    case .data(_, let data): 1 + data.kibibytes
    case .invalidateElements(_, _, let sections): 1 + sections.count
    // These may place or delete any number of items.
    case .deleteSection, .style, .invalidate, .rebalance, .match, .resetLengths:
      Budgets.groupedWeight
    case .move, .resize, .prefer, .preferSupplementary, .insertSection, .moveSection, .mark: 1
    }
  }
}

extension UpsertedItem {
  fileprivate var newData: ItemData? { if case .set(let data) = data { data } else { nil } }
}

extension ItemData? {
  fileprivate var kibibytes: Int { (self?.json.utf8.count ?? 0) >> 10 }
}
