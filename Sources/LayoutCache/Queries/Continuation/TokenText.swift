// Base64url, which needs no escaping in URLs and shells: RFC 4648, section 5, without padding.

private let digits = Array(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

/// Encodes bytes as a text.
func tokenText(_ bytes: [UInt8]) -> String {
  var text: [UInt8] = []
  text.reserveCapacity((bytes.count * 4 + 2) / 3)
  var (bits, count): (UInt32, UInt32) = (0, 0)
  for byte in bytes {
    bits = bits << 8 | UInt32(byte)
    count += 8
    while count >= 6 {
      count -= 6
      text.append(digits[Int(bits >> count & 0x3F)])
    }
    bits &= 0x3F
  }
  if count > 0 { text.append(digits[Int(bits << (6 - count) & 0x3F)]) }
  return String(decoding: text, as: UTF8.self)
}

/// Decodes a text.
///
/// - Returns: `nil` for a text that is not the canonical encoding of any bytes, so that each
///   token has only one text.
func tokenBytes(_ text: String) -> [UInt8]? {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.utf8.count * 3 / 4)
  var (bits, count): (UInt32, UInt32) = (0, 0)
  for character in text.utf8 {
    guard let digit = digits.firstIndex(of: character) else { return nil }
    bits = bits << 6 | UInt32(digit)
    count += 6
    if count >= 8 {
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      bits &= (1 << count) - 1
    }
  }
  return count < 6 && bits == 0 ? bytes : nil
}
