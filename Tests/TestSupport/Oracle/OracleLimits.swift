/// The specification's limits that the oracle holds inputs to.
enum OracleLimits {
  /// Points; natural sizes, container and any other length of a configuration.
  static let lengthMax = 1_000_000.0
  static let columnCountMax = 256
  /// Units along the main axis.
  static let contentLengthMax: Int64 = 1 << 50
}
