/// The specification's limits, checked by the oracle.
enum OracleLimits {
  /// Points; natural and preferred sizes, container and any other length of a configuration.
  static let lengthMax = 1_000_000.0
  static let columnCountMax = 256
  /// Columns that an item may ask for, before they are clamped to a section's.
  static let spanMax = 65_535
  /// Bytes of UTF-8 in a key.
  static let keyBytesMax = 255
  /// The z-index above everything: CSS's largest.
  static let pinnedZIndex = 2_147_483_647
  /// Units along the main axis.
  static let contentLengthMax: Int64 = 1 << 50
}
