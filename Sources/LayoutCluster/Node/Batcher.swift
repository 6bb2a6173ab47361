import Dispatch
import Synchronization

/// Batches the jobs of several threads, in one or more lanes.
///
/// A job that arrives while no batch runs starts alone and immediately. Jobs that arrive in the
/// meantime wait. When the lane is free again, the first of their threads runs them as one batch.
/// If a job has waited for ``patience``, its thread opens another lane for the waiting jobs: large
/// batches cost less, but a slow one must not hold up the others.
final class Batcher<Job: Sendable, Outcome: Sendable>: Sendable {
  private final class Waiter: Sendable {
    let job: Job
    let outcome = Mutex<Outcome?>(nil)
    let wakeUp = DispatchSemaphore(value: 0)

    init(_ job: Job) { self.job = job }
  }

  private struct State {
    var busyLanes = 0
    var waiting: [Waiter] = []
  }

  /// The wait after which a job opens another lane.
  static var patience: DispatchTimeInterval { .milliseconds(10) }

  private let countMax: Int
  private let lanes: Int
  private let work: @Sendable ([Job]) -> [Outcome]
  private let state = Mutex(State())

  /// - Parameters:
  ///   - countMax: The maximum number of jobs per batch.
  ///   - lanes: The maximum number of batches that run concurrently.
  ///   - work: Runs a batch, and returns the outcome of each job.
  init(
    countMax: Int, lanes: Int = 1, _ work: @escaping @Sendable ([Job]) -> [Outcome]
  ) {
    (self.countMax, self.lanes, self.work) = (countMax, lanes, work)
  }

  /// The number of waiting jobs.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Runs a job, on this thread or another, and returns its outcome.
  func run(_ job: Job) -> Outcome {
    let waiter = Waiter(job)
    let isWaiting = state.withLock { state in
      if state.busyLanes == 0 {
        state.busyLanes = 1
        return false
      }
      state.waiting.append(waiter)
      return true
    }
    if isWaiting {
      awaitLane(waiter)
      if let outcome = waiter.outcome.withLock({ $0 }) { return outcome }
    }
    // This thread has a lane, and its job is no longer in the queue.
    let others = isWaiting ? takeOthers() : []
    let outcomes = work([job] + others.map(\.job))
    precondition(outcomes.count == 1 + others.count, "each job has an outcome")
    for (waiter, outcome) in zip(others, outcomes.dropFirst()) {
      waiter.outcome.withLock { $0 = outcome }
      waiter.wakeUp.signal()
    }
    leaveLane()
    return outcomes[0]
  }

  /// Waits until another thread has run the job, or this thread has a lane.
  private func awaitLane(_ waiter: Waiter) {
    if lanes > 1, waiter.wakeUp.wait(timeout: .now() + Self.patience) == .success { return }
    let hasOpened = state.withLock { state in
      guard state.busyLanes < lanes, let place = state.waiting.firstIndex(where: { $0 === waiter })
      else { return false }
      state.waiting.remove(at: place)
      state.busyLanes += 1
      return true
    }
    if !hasOpened { waiter.wakeUp.wait() }
  }

  /// Removes the first waiting jobs.
  private func takeOthers() -> [Waiter] {
    state.withLock { state in
      let others = Array(state.waiting.prefix(countMax - 1))
      state.waiting.removeFirst(others.count)
      return others
    }
  }

  /// Passes the thread's lane on to the first waiting thread.
  private func leaveLane() {
    let next = state.withLock { state -> Waiter? in
      if state.waiting.isEmpty {
        state.busyLanes -= 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.wakeUp.signal()
  }
}
