/// The reason that a text cannot be parsed further.
///
/// Unlike a ``RecordProblem`` it cannot be skipped: the start of the next record, or the
/// meaning of the columns, is unknown. It is always the input's fault.
package struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error.
  package enum Code: Sendable {
    /// No bytes, or only a byte order mark and blank lines.
    case emptyInput
    /// A NUL byte: a binary file.
    case notText
    /// The byte order mark of UTF-16, or its zero bytes.
    case utf16
    /// The first bytes of another kind of file, which the message names.
    case otherFormat
    /// A byte sequence that is not UTF-8.
    case invalidUTF8
    /// The header lacks a required column.
    case missingColumn
    /// The header has a required column more than once.
    case duplicateColumn
    /// A quote within a field that does not start with one.
    case strayQuote
    /// Something other than a delimiter or line end after a closing quote.
    case textAfterQuote
    /// The text ends within a quoted field.
    case unterminatedQuote
    /// A JSON array that is not closed, lacks an element, or has text after it.
    case malformedArray
    /// A record is longer than the reader's limit.
    case recordTooLong
  }

  /// The line, counted from 1: that of the invalid byte, of the start of the field with the
  /// invalid quotes, or of the start of the record that is too long.
  package var line: Int
  /// The kind of error.
  package var code: Code
  /// A clause with the error and, if possible, the remedy.
  package var message: String

  package init(line: Int, code: Code, message: String) {
    (self.line, self.code, self.message) = (line, code, message)
  }

  /// The line and the message: `line 3: the bytes are not UTF-8 …`.
  package var description: String { "line \(line): \(message)" }
}
