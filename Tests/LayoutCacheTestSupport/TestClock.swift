import LayoutCache
import Synchronization

/// A time of day that stands still unless told.
final class TestClock: Sendable {
  private let milliseconds: Atomic<Int64>

  init(milliseconds: Int64) { self.milliseconds = Atomic(milliseconds) }

  var clock: WallClock { WallClock { self.milliseconds.load(ordering: .relaxed) } }

  func advance(by milliseconds: Int64) {
    self.milliseconds.add(milliseconds, ordering: .relaxed)
  }
}
