/// A JSON value as the range of its bytes.
@frozen
package struct JSONToken: Sendable {
  package enum Kind: Sendable {
    case absent
    case null
    case number
    case string
    /// `true` or `false`.
    case boolean
    case array
    case object
  }

  package var kind = Kind.absent
  /// The offset of the first byte, an opening quote included.
  package var start = 0
  /// The offset after the last byte, a closing quote included.
  package var end = 0
  package var hasEscapes = false

  /// No value.
  @inlinable package init() {}

  @inlinable
  package init(kind: Kind, start: Int, end: Int, hasEscapes: Bool = false) {
    self.kind = kind
    self.start = start
    self.end = end
    self.hasEscapes = hasEscapes
  }

  /// Whether the value is absent or `null`.
  package var isNothing: Bool { kind == .absent || kind == .null }

  /// Returns the bytes of the value; for a string those between the quotes.
  ///
  /// - Parameter bytes: The text that the token is a part of.
  @inlinable
  package func content(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let margin = kind == .string ? 1 : 0
    return UnsafeRawBufferPointer(rebasing: bytes[(start + margin)..<(end - margin)])
  }

  package func text(in bytes: UnsafeRawBufferPointer) -> String {
    assert(kind == .string)
    let content = content(in: bytes)
    return hasEscapes ? unescaped(content) : String(decoding: content, as: UTF8.self)
  }
}
