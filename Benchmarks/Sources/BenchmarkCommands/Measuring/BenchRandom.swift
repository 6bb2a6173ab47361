/// SplitMix64, which returns the same numbers for the same seed on every platform.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators"
/// (2014).
struct BenchRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Creates a stream of numbers that depends only on a seed and a name, so that a row's numbers
  /// do not depend on previous rows.
  init(seed: UInt64, stream name: String) {
    // FNV-1a, 64 bits.
    let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    state = seed ^ hash
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
