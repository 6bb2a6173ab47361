import SumTree
import Synchronization

/// The state that a query leaves for the next query of its snapshot, to avoid repeating work. It
/// belongs to one query at a time.
final class QueryState {
  let session: TreeSession

  // Accesses cannot overlap, because one thread owns the state.

  /// The section with which the last query began: the next query usually begins there too.
  @exclusivity(unchecked) var section: SearchedSection?
  /// A reused array for the found cells; empty between queries.
  @exclusivity(unchecked) var cells: [PlacedCell] = []
  /// The last answer to a query for a rectangle, if it is stored.
  @exclusivity(unchecked) var answer: AnyObject?

  init(_ session: TreeSession) { self.session = session }
}

/// The state left by the last query of a snapshot.
///
/// A query that takes the state owns it until it is put back, so no lock is needed. A query that
/// finds none, because another one is running, creates a new state.
struct LastQueryState: ~Copyable, Sendable {
  /// The address of a retained ``QueryState``, or 0.
  private let address = Atomic<UInt>(0)

  /// Takes the state, if present.
  func take() -> QueryState? { exchange(for: 0) }

  /// Stores a state, which the caller gives up.
  func put(_ state: consuming QueryState) {
    _ = exchange(for: UInt(bitPattern: Unmanaged.passRetained(state).toOpaque()))
  }

  /// - Returns: The previous state, now owned by the caller.
  private func exchange(for next: UInt) -> QueryState? {
    let last = address.exchange(next, ordering: .acquiringAndReleasing)
    guard let pointer = UnsafeRawPointer(bitPattern: last) else { return nil }
    return Unmanaged<QueryState>.fromOpaque(pointer).takeRetainedValue()
  }

  deinit { _ = exchange(for: 0) }
}
