package import LayoutStore
import Synchronization
import TestSupport

extension RandomSource {
  /// The same numbers for the same seed.
  package static func seeded(_ seed: UInt64) -> RandomSource {
    let generator = Mutex(SeededGenerator(seed: seed))
    return RandomSource { generator.withLock { $0.next() } }
  }
}
