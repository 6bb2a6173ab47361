/// A JSON value as the range of its bytes.
struct JSONToken {
  enum Kind {
    case absent
    case null
    case number
    case string
    /// `true` or `false`.
    case boolean
    case array
    case object
  }

  var kind = Kind.absent
  /// The offset of the first byte, an opening quote included.
  var start = 0
  /// The offset after the last byte, a closing quote included.
  var end = 0
  var hasEscapes = false

  /// Whether there is no value, or it is `null`.
  var isNothing: Bool { kind == .absent || kind == .null }

  /// The bytes of the value; for a string those between the quotes.
  func content(in record: TextRecord) -> UnsafeRawBufferPointer {
    let margin = kind == .string ? 1 : 0
    return UnsafeRawBufferPointer(rebasing: record.bytes[(start + margin)..<(end - margin)])
  }

  /// The text of a string.
  func text(in record: TextRecord) -> String {
    assert(kind == .string)
    let content = content(in: record)
    return hasEscapes ? unescaped(content) : String(decoding: content, as: UTF8.self)
  }

  /// Whether a string's text has these bytes, where `==` on strings would equate
  /// canonical equivalents.
  @inline(__always)
  func spells(_ utf8: some Collection<UInt8>, in record: TextRecord) -> Bool {
    if hasEscapes { return text(in: record).utf8.elementsEqual(utf8) }
    let content = content(in: record)
    // Inlined, unlike `elementsEqual`, which each member of each line would call.
    return content.count == utf8.count && zip(content, utf8).allSatisfy(==)
  }
}
