import Synchronization

/// The changes of tasks that wait for the next transaction.
///
/// A change that arrives while none is being committed is committed immediately. Those that
/// arrive in the meantime wait, without a thread, and are then committed together.
final class CommitQueue: Sendable {
  typealias Outcome = Result<ChangeOutcome, any Error>

  /// A change with the task that waits for it.
  struct Waiter: Sendable {
    let change: QueuedChange
    fileprivate let number: Int
    fileprivate let continuation: CheckedContinuation<ChangeOutcome, any Error>
  }

  private struct State {
    /// In the order of their arrival.
    var waiting: [Waiter] = []
    var lastNumber = 0
    var takenCount = 0
    /// Whether a group is being committed, or is about to be.
    var isBusy = false
  }

  private enum Arrival {
    case isCancelled
    case mustWait
    case mustBegin
  }

  private let countMax: Int
  private let weightMax: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - countMax: The maximum number of changes in a group.
  ///   - weightMax: The maximum sum of their weights; a heavier change is a group of one.
  init(countMax: Int = Budgets.groupedChanges, weightMax: Int = Budgets.groupedWeight) {
    (self.countMax, self.weightMax) = (countMax, weightMax)
  }

  /// The numbers of waiting changes, and of changes taken so far.
  var counts: (waiting: Int, taken: Int) { state.withLock { ($0.waiting.count, $0.takenCount) } }

  /// Waits for the outcome of a change.
  ///
  /// - Parameter begin: Called if no group is being committed: it must call ``takeGroup()`` on a
  ///   thread that may block, and ``end(_:with:)``.
  /// - Throws: `CancellationError` if the task is cancelled before the change is in a group; the
  ///   error of the change.
  nonisolated(nonsending) func outcome(
    of change: QueuedChange, begin: () -> Void
  ) async throws -> ChangeOutcome {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let waiter = Waiter(change: change, number: number, continuation: continuation)
        switch arrive(waiter) {
        case .isCancelled: continuation.resume(throwing: CancellationError())
        case .mustWait: break
        case .mustBegin: begin()
        }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  private func arrive(_ waiter: Waiter) -> Arrival {
    state.withLock { state in
      if Task.isCancelled { return .isCancelled }
      state.waiting.append(waiter)
      defer { state.isBusy = true }
      return state.isBusy ? .mustWait : .mustBegin
    }
  }

  /// Removes the first waiting changes. Cancellation no longer affects them.
  func takeGroup() -> [Waiter] {
    state.withLock { state in
      var (count, weight) = (0, 0)
      for waiter in state.waiting.prefix(countMax) {
        weight += waiter.change.request.weight
        if count > 0, weight > weightMax { break }
        count += 1
      }
      state.takenCount += count
      defer { state.waiting.removeFirst(count) }
      return Array(state.waiting.prefix(count))
    }
  }

  /// Resumes the tasks of a group.
  ///
  /// - Parameter next: Called first if other changes wait; as `begin` of ``outcome(of:begin:)``.
  func end(_ group: [Waiter], with outcomes: [Outcome], next: () -> Void) {
    precondition(outcomes.count == group.count, "each change has an outcome")
    let isBusy = state.withLock { state in
      state.isBusy = !state.waiting.isEmpty
      return state.isBusy
    }
    if isBusy { next() }
    for (waiter, outcome) in zip(group, outcomes) { waiter.continuation.resume(with: outcome) }
  }
}
