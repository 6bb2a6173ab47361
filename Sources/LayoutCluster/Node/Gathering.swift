import Dispatch
import Synchronization

/// Does together what several threads ask for at one time.
///
/// Who comes while nobody works does so alone and at once. Who comes meanwhile waits, and the
/// first of those works for all.
final class Gathering<Job: Sendable, Outcome: Sendable>: Sendable {
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
  private let work: @Sendable ([Job]) -> [Outcome]
  private let state = Mutex(State())

  /// - Parameters:
  ///   - countMax: The jobs that are done together at most.
  ///   - work: Does some, and returns what came of each.
  init(countMax: Int, _ work: @escaping @Sendable ([Job]) -> [Outcome]) {
    self.countMax = countMax
    self.work = work
  }

  /// The jobs that wait for others to be done.
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
    let group = state.withLock { state in
      let group = Array(state.waiting.prefix(countMax))
      state.waiting.removeFirst(group.count)
      return group
    }
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
}
