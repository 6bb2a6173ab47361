import Dispatch
import LayoutCache
import Synchronization

/// Where all that a node does with one dataset's log waits its turn: one thread at a time
/// works, and carries out what others have asked for meanwhile along with its own.
final class DatasetRoom: Sendable {
  /// A change that waits to be decided on.
  final class Ticket: Sendable {
    let change: SharedChange
    let view: BatchView
    private let result = Mutex<Result<SharedOutcome, any Error>?>(nil)

    init(_ change: SharedChange, _ view: BatchView) {
      self.change = change
      self.view = view
    }

    var isOpen: Bool { result.withLock { $0 == nil } }

    func close(_ result: Result<SharedOutcome, any Error>) {
      self.result.withLock { $0 = $0 ?? result }
    }

    func take() throws -> SharedOutcome {
      guard let result = result.withLock({ $0 }) else {
        preconditionFailure("whoever has the turn closes all tickets")
      }
      return try result.get()
    }
  }

  private enum Job {
    case change(Ticket)
    case work(@Sendable () -> Void)
  }

  private struct Waiter {
    var job: Job
    let wakeUp = DispatchSemaphore(value: 0)
    let hasTurn = TurnFlag()
  }

  /// Whether a waiter that wakes up is to work, or finds its job done.
  private final class TurnFlag: Sendable {
    private let flag = Atomic(false)
    var value: Bool { flag.load(ordering: .acquiring) }
    func set() { flag.store(true, ordering: .releasing) }
  }

  private struct State {
    var isBusy = false
    var waiting: [Waiter] = []
  }

  /// The dataset's name.
  let dataset: String
  private let state = Mutex(State())
  /// What is known of the dataset without a look at the file.
  private let standing = Mutex(DatasetStanding())

  /// The changes that one append takes along at most.
  static let groupMax = 64

  init(of dataset: String) { self.dataset = dataset }

  /// Looks at what is known of the dataset, or changes it.
  func standing<R>(_ body: (inout DatasetStanding) -> R) -> R {
    standing.withLock { body(&$0) }
  }

  /// Gets a change decided on, by `decide`, together with others that wait.
  func commit(
    _ change: SharedChange, _ view: BatchView, _ decide: ([Ticket]) -> Void
  ) throws -> SharedOutcome {
    let ticket = Ticket(change, view)
    wait(for: .change(ticket), decide)
    return try ticket.take()
  }

  /// Runs `body` alone.
  ///
  /// - Parameter decide: Decides on changes that wait meanwhile, where this thread comes to them.
  func run<R: Sendable>(
    _ body: @escaping @Sendable () throws -> R, orDecide decide: ([Ticket]) -> Void
  ) throws -> R {
    let result = Mutex<Result<R, any Error>?>(nil)
    let box = Box(result)
    wait(
      for: .work {
        let value = Result { try body() }
        box.value.withLock { $0 = value }
      }, decide)
    guard let result = box.value.withLock({ $0 }) else {
      preconditionFailure("whoever has the turn does all jobs")
    }
    return try result.get()
  }

  private final class Box<Value: ~Copyable & Sendable>: Sendable {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
  }

  /// Returns when the job is done, by this thread or another.
  private func wait(for job: Job, _ decide: ([Ticket]) -> Void) {
    let waiter = Waiter(job: job)
    let isFirst = state.withLock { state in
      state.waiting.append(waiter)
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if !isFirst {
      waiter.wakeUp.wait()
      if !waiter.hasTurn.value { return }
    }
    // The own job is the first that waits.
    work(decide)
    let next = state.withLock { state in
      state.isBusy = !state.waiting.isEmpty
      return state.waiting.first
    }
    next?.hasTurn.set()
    next?.wakeUp.signal()
  }

  /// Does the first job that waits; the changes behind it go along with one.
  private func work(_ decide: ([Ticket]) -> Void) {
    let group = state.withLock { state in
      var count = 1
      if case .change = state.waiting[0].job {
        while count < min(state.waiting.count, Self.groupMax),
          case .change = state.waiting[count].job
        {
          count += 1
        }
      }
      defer { state.waiting.removeFirst(count) }
      return Array(state.waiting.prefix(count))
    }
    switch group[0].job {
    case .work(let body): body()
    case .change:
      decide(
        group.compactMap {
          guard case .change(let ticket) = $0.job else { return nil }
          return ticket
        })
    }
    for waiter in group.dropFirst() { waiter.wakeUp.signal() }
  }
}
