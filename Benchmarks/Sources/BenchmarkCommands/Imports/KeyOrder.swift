/// The order in which keys of items are inserted into an index; all have 12 bytes.
enum KeyOrder: String, CaseIterable {
  /// The order of hashes: the worst case for a plain index.
  case random
  /// The order of consecutive ids: the best case for a plain index.
  case ascending

  /// The key of an item.
  ///
  /// - Parameter number: Below 2^48; equal keys have equal numbers.
  func key(_ number: Int) -> String {
    switch self {
    // A permutation of the 48-bit numbers, because the multiplier is odd.
    case .random: Self.digits((UInt64(number) &* 0x9E37_79B9_7F4A_7C15) & 0xFFFF_FFFF_FFFF)
    case .ascending: String(Self.digits(UInt64(number)).reversed())
    }
  }

  /// Twelve hexadecimal digits, the least significant first.
  private static func digits(_ number: UInt64) -> String {
    var rest = number
    return String(unsafeUninitializedCapacity: 12) { digits in
      for index in 0..<12 {
        let digit = UInt8(truncatingIfNeeded: rest & 15)
        digits[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        rest >>= 4
      }
      return 12
    }
  }
}
