import Dispatch
import LayoutCache
import LayoutReplication
import Synchronization

/// The queue of work on one dataset's log. One thread at a time works on it, and appends the
/// changes that other threads have requested in the meantime together with its own.
final class DatasetCommitQueue: Sendable {
  /// A change waiting for its outcome.
  final class Ticket: Sendable {
    let change: ChangeRequest
    /// The change as the log gets it.
    let request: SharedRequest
    let queue: DatasetCommitQueue
    private let result = Mutex<Result<ChangeOutcome, any Error>?>(nil)

    init(_ change: ChangeRequest, as request: SharedRequest, in queue: DatasetCommitQueue) {
      (self.change, self.request, self.queue) = (change, request, queue)
    }

    var isOpen: Bool { result.withLock { $0 == nil } }

    func close(_ result: Result<ChangeOutcome, any Error>) {
      self.result.withLock { $0 = $0 ?? result }
    }

    func outcome() throws -> ChangeOutcome {
      guard let result = result.withLock({ $0 }) else {
        preconditionFailure("the thread that commits closes all tickets")
      }
      return try result.get()
    }
  }

  /// The dataset's name.
  let dataset: String
  /// The dataset's status, known without reading the file.
  private let status = Mutex(ReplicaStatus())
  private let turn: DispatchSemaphore
  private let changes: Batcher<Ticket, Void>

  /// The maximum number of changes per append.
  static let groupMax = 64

  /// - Parameter commit: Commits the changes of some tickets, and closes all of them.
  init(of dataset: String, _ commit: @escaping @Sendable ([Ticket]) -> Void) {
    let turn = DispatchSemaphore(value: 1)
    (self.dataset, self.turn) = (dataset, turn)
    changes = Batcher(countMax: Self.groupMax) { tickets in
      turn.wait()
      defer { turn.signal() }
      commit(tickets)
      return tickets.map { _ in }
    }
  }

  /// Reads or updates the dataset's status.
  func status<R>(_ body: (inout ReplicaStatus) -> R) -> R {
    status.withLock { body(&$0) }
  }

  /// Commits a change, together with other waiting changes.
  func commit(_ change: ChangeRequest, as request: SharedRequest) throws -> ChangeOutcome {
    let ticket = Ticket(change, as: request, in: self)
    changes.run(ticket)
    return try ticket.outcome()
  }

  /// Runs `body` exclusively.
  func run<R>(_ body: () throws -> R) rethrows -> R {
    turn.wait()
    defer { turn.signal() }
    return try body()
  }
}
