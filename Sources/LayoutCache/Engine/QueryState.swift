import SumTree
import Synchronization

/// What a query leaves behind for the next one of its snapshot, which would find the same
/// out again before it begins. Belongs to one query at a time.
final class QueryState {
  let session: TreeSession

  // Nothing can overlap an access while one thread has the state.

  /// The section that the last query has begun with: the next one mostly begins there too.
  @exclusivity(unchecked) var section: SearchedSection?
  /// Memory for the cells that are found; empty between queries.
  @exclusivity(unchecked) var cells: [PlacedCell] = []

  init(_ session: TreeSession) { self.session = session }
}

/// The state that the last query of a snapshot has left.
///
/// Whoever takes it has it alone until it is put back, so that nothing needs a lock; who
/// finds none, because another query is under way, begins with a new one.
struct LastQueryState: ~Copyable, Sendable {
  /// The address of a retained ``QueryState``, or 0.
  private let address = Atomic<UInt>(0)

  /// Takes the state out, if it is there.
  func take() -> QueryState? { exchange(for: 0) }

  /// Puts a state in, of which the caller keeps nothing.
  func put(_ state: consuming QueryState) {
    _ = exchange(for: UInt(bitPattern: Unmanaged.passRetained(state).toOpaque()))
  }

  /// - Returns: What was there, which now is the caller's.
  private func exchange(for next: UInt) -> QueryState? {
    let last = address.exchange(next, ordering: .acquiringAndReleasing)
    guard let pointer = UnsafeRawPointer(bitPattern: last) else { return nil }
    return Unmanaged<QueryState>.fromOpaque(pointer).takeRetainedValue()
  }

  deinit { _ = exchange(for: 0) }
}
