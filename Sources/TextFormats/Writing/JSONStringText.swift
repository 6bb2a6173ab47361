/// Appends a JSON string, including quotes.
///
/// Only the characters that RFC 8259 requires to be escaped are escaped.
func appendJSONString(_ text: String, to bytes: inout [UInt8]) {
  bytes.append(UInt8(ascii: "\""))
  var text = text
  text.withUTF8 { utf8 in
    var plainStart = 0
    for index in utf8.indices {
      let byte = utf8[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
        continue
      }
      bytes.append(contentsOf: utf8[plainStart..<index])
      appendEscape(byte, to: &bytes)
      plainStart = index + 1
    }
    bytes.append(contentsOf: utf8[plainStart...])
  }
  bytes.append(UInt8(ascii: "\""))
}

private func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
  bytes.append(UInt8(ascii: "\\"))
  switch byte {
  case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
  case 0x08: bytes.append(UInt8(ascii: "b"))
  case 0x09: bytes.append(UInt8(ascii: "t"))
  case 0x0A: bytes.append(UInt8(ascii: "n"))
  case 0x0C: bytes.append(UInt8(ascii: "f"))
  case 0x0D: bytes.append(UInt8(ascii: "r"))
  default:
    assert(byte < 0x20)
    bytes.append(contentsOf: "u00".utf8)
    bytes.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
    let low = byte & 0x0F
    bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
  }
}
