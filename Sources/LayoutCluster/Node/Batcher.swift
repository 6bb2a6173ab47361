import Dispatch
import Synchronization

/// Does the jobs of several threads together.
///
/// A job that comes while none is under way is done alone and immediately. Jobs that come in the
/// meantime wait, and the first of their threads does them all.
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
  ///   - countMax: The most jobs that are done together.
  ///   - joins: Whether a job can be done together with others; if not it is done alone, in its
  ///     turn.
  ///   - work: Does some jobs, and returns the outcome of each.
  init(
    countMax: Int, joins: @escaping @Sendable (Job) -> Bool = { _ in true },
    _ work: @escaping @Sendable ([Job]) -> [Outcome]
  ) {
    self.countMax = countMax
    self.joins = joins
    self.work = work
  }

  /// The number of jobs that wait for others to be done.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Returns when the job is done, by this thread or another.
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
    // The own job is the first that waits.
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
