import Dispatch
import LayoutCache
import Synchronization

/// The queue of work on one dataset's log. One thread at a time works on it, and commits the
/// changes that other threads have requested in the meantime together with its own.
final class DatasetCommitQueue: Sendable {
  /// A change waiting for its outcome.
  final class Ticket: Sendable {
    let request: ChangeRequest
    let queue: DatasetCommitQueue
    private let result = Mutex<Result<ChangeOutcome, any Error>?>(nil)

    init(_ request: ChangeRequest, in queue: DatasetCommitQueue) {
      self.request = request
      self.queue = queue
    }

    var isOpen: Bool { result.withLock { $0 == nil } }

    func close(_ result: Result<ChangeOutcome, any Error>) {
      self.result.withLock { $0 = $0 ?? result }
    }

    fileprivate func outcome() throws -> ChangeOutcome {
      guard let result = result.withLock({ $0 }) else {
        preconditionFailure("the thread that commits closes all tickets")
      }
      return try result.get()
    }
  }

  private enum Job {
    case change(Ticket)
    case work(@Sendable () -> Void)
  }

  /// The dataset's name.
  let dataset: String
  /// The dataset's status, known without reading the file.
  private let status = Mutex(ReplicaStatus())
  private let jobs: Batcher<Job, Void>

  /// The maximum number of changes per append.
  static let groupMax = 64

  /// - Parameter commit: Commits the changes of some tickets, and closes all of them.
  init(of dataset: String, _ commit: @escaping @Sendable ([Ticket]) -> Void) {
    self.dataset = dataset
    jobs = Batcher(countMax: Self.groupMax) {
      if case .change = $0 { true } else { false }
    } _: { group in
      if case .work(let body) = group[0] {
        body()
      } else {
        commit(
          group.compactMap {
            guard case .change(let ticket) = $0 else { return nil }
            return ticket
          })
      }
      return group.map { _ in }
    }
  }

  /// Reads or updates the dataset's status.
  func status<R>(_ body: (inout ReplicaStatus) -> R) -> R {
    status.withLock { body(&$0) }
  }

  /// Commits a change, together with other waiting changes.
  func commit(_ request: ChangeRequest) throws -> ChangeOutcome {
    let ticket = Ticket(request, in: self)
    jobs.run(.change(ticket))
    return try ticket.outcome()
  }

  /// Runs `body` exclusively.
  func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) throws -> R {
    let result = Box<R>()
    jobs.run(.work { result.value.withLock { $0 = Result { try body() } } })
    guard let result = result.value.withLock({ $0 }) else {
      preconditionFailure("the thread that works does all jobs")
    }
    return try result.get()
  }

  private final class Box<R: Sendable>: Sendable {
    let value = Mutex<Result<R, any Error>?>(nil)
  }
}
