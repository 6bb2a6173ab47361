/// The reason that a text is not read further, or its items are not imported. It is always the
/// input's fault.
///
/// Unlike a ``RecordProblem`` it cannot be skipped: the start of the next record, or the
/// meaning of the columns, is unknown, or the caller skips no records.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error.
  package enum Code: Hashable, Sendable {
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
    /// A packed file is damaged. The message continues "it is".
    case damagedFile
    /// A packed file must be unpacked first. The message continues "it is".
    case packedFile
    /// A row is invalid, and none may be skipped.
    case invalidRow(RecordProblem.Code)
    /// All rows were skipped; the line and the message are the first one's.
    case noValidRow(count: Int)
    /// A replacement or match without an accepted row would empty the dataset: more likely a
    /// truncated file than intended.
    case wouldEmpty(skippedCount: Int)
  }

  /// The line, counted from 1: that of the invalid byte, of the start of the field with the
  /// invalid quotes, or of the start of the record; 0 for an error of the whole.
  package var line: Int
  /// The kind of error.
  package var code: Code
  /// A clause with the error and, if possible, the remedy.
  package var message: String

  package init(line: Int = 0, code: Code, message: String) {
    (self.line, self.code, self.message) = (line, code, message)
  }

  init(_ code: Code, of row: RecordProblem) {
    self.init(line: row.line, code: code, message: row.message)
  }

  static func damagedFile(_ format: String) -> ImportError {
    ImportError(code: .damagedFile, message: "damaged or truncated \(format) data")
  }

  static func packedFile(_ reason: String) -> ImportError {
    ImportError(code: .packedFile, message: "a ZIP archive \(reason)")
  }

  /// The line and the message: `line 3: the bytes are not UTF-8 …`.
  package var description: String { line == 0 ? message : "line \(line): \(message)" }
}
