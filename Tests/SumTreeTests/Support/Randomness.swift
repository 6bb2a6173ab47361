#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// SplitMix64: the same numbers for the same seed, everywhere.
///
/// Source: https://prng.di.unimi.it/splitmix64.c
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// What the environment adds to the property tests.
///
/// - `LAYOUTCACHE_SEED`: one more seed, to repeat a failure or to search on.
/// - `LAYOUTCACHE_STEPS`: the number of steps a seed.
enum PropertyRun {
  static let seeds: [UInt64] =
    Array(1...12) + (environmentNumber("LAYOUTCACHE_SEED").map { [$0] } ?? [])
  static let stepCount = environmentNumber("LAYOUTCACHE_STEPS").map(Int.init) ?? 250

  private static func environmentNumber(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }
}
