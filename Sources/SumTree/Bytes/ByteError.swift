/// The error of a decoder for invalid bytes.
///
/// Decoders throw it for all invalid input from a file; they never trap.
@usableFromInline package struct ByteError: Error, Sendable, Equatable {
  /// The reason that the bytes are invalid.
  @usableFromInline package enum Code: Sendable, Equatable {
    /// A value continues after the last byte.
    case truncated

    /// A number does not fit its type.
    case overflow

    /// The bytes are complete, but break a rule of the format; the payload
    /// names the rule or the field.
    case malformed(String)
  }

  /// The reason that the bytes are invalid.
  @usableFromInline package let code: Code

  /// The offset, in bytes from the start of the buffer, of the value that could not be read.
  @usableFromInline package let offset: Int

  /// Creates an error about the value at `offset`.
  @inlinable
  package init(code: Code, offset: Int) {
    self.code = code
    self.offset = offset
  }
}

extension ByteError: CustomStringConvertible {
  @usableFromInline package var description: String {
    switch code {
    case .truncated: "The bytes end inside the value at offset \(offset)."
    case .overflow: "The number at offset \(offset) does not fit its type."
    case .malformed(let what): "The bytes at offset \(offset) are malformed: \(what)."
    }
  }
}
