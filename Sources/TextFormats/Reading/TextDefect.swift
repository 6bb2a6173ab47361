/// Returns the offset of the first NUL byte or malformed UTF-8 sequence; `nil` for valid text.
///
/// NUL is a valid scalar, but it does not occur in text files, while it does in nearly every
/// binary file.
///
/// Source: the table of well-formed byte sequences, Unicode 16.0, section 3.9.2.
func offsetOfDefect(in bytes: UnsafeRawBufferPointer) -> Int? {
  let highBits: UInt64 = 0x8080_8080_8080_8080
  let lowBits: UInt64 = 0x0101_0101_0101_0101
  let count = bytes.count
  var offset = 0
  while offset < count {
    // Eight bytes at a time while they are ASCII without NUL. Subtracting one sets the high bit
    // of a zero byte; false positives only take the slow path.
    while offset + 8 <= count {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      guard (word | (word &- lowBits)) & highBits == 0 else { break }
      offset += 8
    }
    let stop = min(offset + 8, count)
    while offset < stop {
      let byte = bytes[offset]
      if byte == 0 { return offset }
      let length = byte < 0x80 ? 1 : sequenceLength(in: bytes, at: offset)
      guard length > 0 else { return offset }
      offset += length
    }
  }
  return nil
}

/// Returns the length of the well-formed multi-byte sequence at an offset; 0 if there is none.
private func sequenceLength(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
  func isContinuation(_ index: Int) -> Bool {
    index < bytes.count && bytes[index] & 0xC0 == 0x80
  }
  let lead = bytes[offset]
  guard isContinuation(offset + 1) else { return 0 }
  let second = bytes[offset + 1]
  switch lead {
  case 0xC2...0xDF:
    return 2
  case 0xE0...0xEF:
    // Overlong forms, then surrogates.
    if lead == 0xE0, second < 0xA0 { return 0 }
    if lead == 0xED, second > 0x9F { return 0 }
    return isContinuation(offset + 2) ? 3 : 0
  case 0xF0...0xF4:
    // Overlong forms, then scalars above U+10FFFF.
    if lead == 0xF0, second < 0x90 { return 0 }
    if lead == 0xF4, second > 0x8F { return 0 }
    return isContinuation(offset + 2) && isContinuation(offset + 3) ? 4 : 0
  default:
    return 0
  }
}
