/// A field of a CSV or TSV record as the half-open range of its bytes.
struct DelimitedField: Equatable {
  /// The offset of the first byte, an opening quote included.
  var start = 0
  /// The offset after the last byte, a closing quote included.
  var end = 0
  var isQuoted = false
  var hasDoubledQuotes = false

  /// Returns the bytes between the quotes, with doubled quotes unchanged.
  func content(in record: TextRecord) -> UnsafeRawBufferPointer {
    let margin = isQuoted ? 1 : 0
    return UnsafeRawBufferPointer(rebasing: record.bytes[(start + margin)..<(end - margin)])
  }

  /// Returns the content without surrounding spaces; `nil` if it is empty.
  func trimmed(in record: TextRecord) -> UnsafeRawBufferPointer? {
    let content = content(in: record)
    func isText(_ byte: UInt8) -> Bool { byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") }
    guard let first = content.firstIndex(where: isText),
      let last = content.lastIndex(where: isText)
    else { return nil }
    return UnsafeRawBufferPointer(rebasing: content[first...last])
  }

  func text(in record: TextRecord) -> String {
    let content = content(in: record)
    guard hasDoubledQuotes else { return String(decoding: content, as: UTF8.self) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.count)
    var skipsQuote = false
    for byte in content {
      if skipsQuote {
        skipsQuote = false
        continue
      }
      bytes.append(byte)
      skipsQuote = byte == UInt8(ascii: "\"")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
