/// Finds the end of an NDJSON line: the next line feed.
struct LineScanner {
  /// The number of bytes of the line known to hold no line feed.
  private var scannedCount = 0

  mutating func scan(_ bytes: UnsafeRawBufferPointer) -> RecordScan {
    guard let length = offset(ofLineFeedIn: bytes, from: scannedCount) else {
      scannedCount = bytes.count
      return .incomplete
    }
    return complete(length: length)
  }

  mutating func scanLast(_ bytes: UnsafeRawBufferPointer) -> RecordScan {
    complete(length: bytes.count)
  }

  private mutating func complete(length: Int) -> RecordScan {
    scannedCount = 0
    return .complete(length: length, lineBreakCount: 0, endsInCarriageReturn: false)
  }
}

/// The first line feed at or after an offset, eight bytes at a time.
///
/// Source: the zero-byte test in "Hacker's Delight", section 6-1, on the bytes
/// with those of a line feed subtracted by exclusive or.
private func offset(ofLineFeedIn bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
  let lineFeeds: UInt64 = 0x0A0A_0A0A_0A0A_0A0A
  let highBits: UInt64 = 0x8080_8080_8080_8080
  let lowBits: UInt64 = 0x0101_0101_0101_0101
  var offset = start
  while offset + 8 <= bytes.count {
    let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ lineFeeds
    if (word &- lowBits) & ~word & highBits != 0 { break }
    offset += 8
  }
  while offset < bytes.count {
    if bytes[offset] == UInt8(ascii: "\n") { return offset }
    offset += 1
  }
  return nil
}
