package import LayoutCache
import Synchronization

/// A clock that changes only when a test advances it.
package final class TestClock: Sendable {
  private let milliseconds: Atomic<Int64>

  package init(milliseconds: Int64) { self.milliseconds = Atomic(milliseconds) }

  package var clock: WallClock { WallClock { self.milliseconds.load(ordering: .relaxed) } }

  package func advance(by milliseconds: Int64) {
    self.milliseconds.add(milliseconds, ordering: .relaxed)
  }
}
