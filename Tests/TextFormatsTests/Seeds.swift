import Foundation

/// The seeds that randomized tests run with, and how long.
enum Seeds {
  /// Fixed seeds, and one more from the environment variable `LAYOUTCACHE_SEED`.
  static let all: [UInt64] = [1, 2, 3, 4] + extra

  /// The number of random inputs a seed gives: `LAYOUTCACHE_STEPS`, or else the
  /// number a test asks for.
  static func steps(_ usual: Int) -> Int {
    ProcessInfo.processInfo.environment["LAYOUTCACHE_STEPS"].flatMap(Int.init) ?? usual
  }

  private static var extra: [UInt64] {
    ProcessInfo.processInfo.environment["LAYOUTCACHE_SEED"].flatMap(UInt64.init).map { [$0] } ?? []
  }
}

/// SplitMix64.
///
/// Source: https://prng.di.unimi.it/splitmix64.c
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
