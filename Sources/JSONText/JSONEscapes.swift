/// Returns the value of four hexadecimal digits; `nil` if there are none.
func hexadecimalUnit(in bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt16? {
  guard offset + 4 <= bytes.count else { return nil }
  var unit: UInt16 = 0
  for index in offset..<(offset + 4) {
    let digit: UInt8
    switch bytes[index] {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = bytes[index] - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = bytes[index] - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = bytes[index] - UInt8(ascii: "A") + 10
    default: return nil
    }
    unit = unit << 4 | UInt16(digit)
  }
  return unit
}

/// Returns the text of a JSON string's content.
///
/// - Precondition: A ``JSONScanner`` has accepted the string.
func unescaped(_ content: UnsafeRawBufferPointer) -> String {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(content.count)
  var position = 0
  while position < content.count {
    let byte = content[position]
    guard byte == UInt8(ascii: "\\") else {
      bytes.append(byte)
      position += 1
      continue
    }
    let escape = content[position + 1]
    position += 2
    switch escape {
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"): bytes.append(contentsOf: scalar(in: content, at: &position).utf8)
    default: bytes.append(escape)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// Returns the scalar whose digits, after `\u`, start at the position.
private func scalar(in content: UnsafeRawBufferPointer, at position: inout Int) -> Character {
  guard let unit = hexadecimalUnit(in: content, at: position) else {
    preconditionFailure("an escape without digits has been accepted")
  }
  position += 4
  if let scalar = Unicode.Scalar(unit) { return Character(scalar) }
  guard let low = hexadecimalUnit(in: content, at: position + 2),
    let scalar = Unicode.Scalar(0x10000 + UInt32(unit & 0x3FF) << 10 + UInt32(low & 0x3FF))
  else {
    preconditionFailure("a lone surrogate has been accepted")
  }
  position += 6
  return Character(scalar)
}
