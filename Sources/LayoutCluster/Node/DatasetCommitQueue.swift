import Dispatch
import LayoutCache
import Synchronization

/// The queue of work on one dataset's log. One thread at a time has the ``Turn``, and commits the
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
  init(of dataset: String, _ commit: @escaping @Sendable ([Ticket], Turn) -> Void) {
    self.dataset = dataset
    let applying = applying
    jobs = Batcher(countMax: Self.groupMax) {
      if case .change = $0 { true } else { false }
    } leaving: { group, leave in
      let turn = Turn(applying, leave)
      defer { turn.end() }
      if case .work(let body) = group[0] {
        turn.awaitPrevious()
        body()
      } else {
        commit(
          group.compactMap {
            guard case .change(let ticket) = $0 else { return nil }
            return ticket
          }, turn)
      }
      return group.map { _ in }
    }
  }

  // MARK: Turns

  /// The entries that the log has accepted and that are being applied to the file, if any, and
  /// the right to do so, which one thread at a time has.
  final class Applying: Sendable {
    fileprivate let isFree = DispatchSemaphore(value: 1)
    fileprivate let entries = Mutex<[ClusterNode.LoggedEntry]>([])
  }

  private let applying = Applying()

  /// A thread's turn to work on the log. The next turn may begin while this one applies its
  /// entries, but cannot apply any before.
  final class Turn {
    private let applying: Applying
    private let leave: () -> Void
    /// Whether no earlier turn is still applying entries.
    private(set) var isAlone = false

    fileprivate init(_ applying: Applying, _ leave: @escaping () -> Void) {
      self.applying = applying
      self.leave = leave
    }

    /// The entries that the turn before is applying; empty if it is done, or was awaited.
    var applied: [ClusterNode.LoggedEntry] { isAlone ? [] : applying.entries.withLock { $0 } }

    /// Waits until the turn before has ended.
    func awaitPrevious() {
      if isAlone { return }
      applying.isFree.wait()
      isAlone = true
    }

    /// Lets the next turn begin, while this one only applies `entries`.
    ///
    /// - Precondition: The turn before has ended, and this call is the first.
    func pass(applying entries: [ClusterNode.LoggedEntry]) {
      precondition(isAlone, "entries are applied in order")
      applying.entries.withLock { $0 = entries }
      leave()
    }

    fileprivate func end() {
      guard isAlone else { return }
      applying.entries.withLock { $0 = [] }
      applying.isFree.signal()
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
