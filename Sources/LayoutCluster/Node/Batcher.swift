import Dispatch
import Synchronization

/// Batches the jobs of several threads.
///
/// A job that arrives while the batcher is idle runs alone and immediately. Jobs that arrive
/// while others run wait, and the first of their threads runs them as one batch.
final class Batcher<Job: Sendable, Outcome: Sendable>: Sendable {
  private final class Waiter: Sendable {
    let job: Job
    let outcome = Mutex<Outcome?>(nil)
    let wakeUp = DispatchSemaphore(value: 0)

    init(_ job: Job) { self.job = job }
  }

  private struct State {
    var isBusy = false
    var waiting: [Waiter] = []
  }

  private let countMax: Int
  private let joins: @Sendable (Job) -> Bool
  private let work: @Sendable ([Job]) -> [Outcome]
  private let state = Mutex(State())

  /// - Parameters:
  ///   - countMax: The maximum number of jobs per batch.
  ///   - joins: Whether a job can be batched with others. If not, it runs alone, in its turn.
  ///   - work: Runs a batch, and returns the outcome of each job.
  init(
    countMax: Int, joins: @escaping @Sendable (Job) -> Bool = { _ in true },
    _ work: @escaping @Sendable ([Job]) -> [Outcome]
  ) {
    self.countMax = countMax
    self.joins = joins
    self.work = work
  }

  /// The number of waiting jobs.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Runs a job, on this thread or another, and returns its outcome.
  func run(_ job: Job) -> Outcome {
    let waiter = Waiter(job)
    let isFirst = state.withLock { state in
      state.waiting.append(waiter)
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if !isFirst {
      waiter.wakeUp.wait()
      if let outcome = waiter.outcome.withLock({ $0 }) { return outcome }
    }
    // This thread's job is the first in the queue.
    let group = nextGroup()
    let outcomes = work(group.map(\.job))
    precondition(outcomes.count == group.count, "each job has an outcome")
    let next = state.withLock { state in
      state.isBusy = !state.waiting.isEmpty
      return state.waiting.first
    }
    next?.wakeUp.signal()
    for (waiter, outcome) in zip(group, outcomes).dropFirst() {
      waiter.outcome.withLock { $0 = outcome }
      waiter.wakeUp.signal()
    }
    return outcomes[0]
  }

  private func nextGroup() -> [Waiter] {
    state.withLock { state in
      var count = 1
      if joins(state.waiting[0].job) {
        while count < min(countMax, state.waiting.count), joins(state.waiting[count].job) {
          count += 1
        }
      }
      defer { state.waiting.removeFirst(count) }
      return Array(state.waiting.prefix(count))
    }
  }
}
