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

  /// The bytes of the value; for a string those between the quotes.
  func content(in line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let margin = kind == .string ? 1 : 0
    return UnsafeRawBufferPointer(rebasing: line[(start + margin)..<(end - margin)])
  }

  /// The text of a string.
  func text(in line: UnsafeRawBufferPointer) -> String {
    assert(kind == .string)
    let content = content(in: line)
    return hasEscapes ? unescaped(content) : String(decoding: content, as: UTF8.self)
  }
}
