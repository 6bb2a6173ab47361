/// Numbers at which arithmetic, conversions and parsers fail: arguments of the library's calls, of
/// the command's options, of requests, and numbers in texts.
public enum Extremes {
  public static let wholes: [Int] = [
    .min, .min + 1, -1 << 53, -1, 0, 1, 2, 1 << 31, 1 << 40, 1 << 53, .max - 1, .max,
  ]
  /// Lengths in units.
  public static let lengths: [Int64] = [
    .min, .min + 1, -1 << 62, -1 << 53, -1, 0, 1, 1 << 31, 1 << 50, 1 << 53, (1 << 53) + 1,
    1 << 62, .max - 1, .max,
  ]
  public static let doubles: [Double] = [
    .nan, -.infinity, .infinity, -1e308, -1, -0.0, 0, .leastNonzeroMagnitude, 1.0 / 64, 1,
    0x1p31, 0x1p53, 0x1p63, 1e308,
  ]
  /// Numbers as texts, and texts that some parsers take for numbers. The tests of the service read
  /// this list from this file.
  public static let texts =
    [
      "0", "-0", "-1", "0.5", "0.015624", "1", "256", "257", "1000000", "1000000.02", "2147483648",
      "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
      "18446744073709551615", "18446744073709551616", "1e308", "-1e308", "1e400", "-1e400",
      "1e-320",
      "1e-400", "1e99999999999999999999", "NaN", "inf",
    ] + [String(repeating: "9", count: 10_000)]
}
