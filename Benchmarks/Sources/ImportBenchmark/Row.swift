import Foundation

/// The order in which an index meets the keys.
enum KeyOrder {
  /// As with ids that are hashes: the worst for a plain index.
  case random
  /// As with ids that are numbered: the best for a plain index.
  case ascending
}

/// One item: a key of 12 bytes, 200 points wide, 100 to 499 high.
struct Row {
  var key: String
  var width: Double
  var height: Double

  static func rows(_ count: Int, _ order: KeyOrder) -> [Row] {
    var state: UInt64 = 42
    return (0..<count).map { number in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      // A permutation of the 48-bit numbers, because the multiplier is odd.
      let factor: UInt64 = order == .random ? 0x9E37_79B9_7F4A_7C15 : 1
      let scattered = (UInt64(number) &* factor) & 0xFFFF_FFFF_FFFF
      let digits = String(scattered, radix: 16)
      return Row(
        key: String(repeating: "0", count: 12 - digits.count) + digits, width: 200,
        height: Double(100 + state % 400))
    }
  }

  static func ndjson(_ rows: [Row]) -> Data {
    var text = Data()
    for row in rows {
      text.append(
        contentsOf:
          "{\"key\":\"\(row.key)\",\"width\":\(Int(row.width)),\"height\":\(Int(row.height))}\n"
          .utf8)
    }
    return text
  }
}
