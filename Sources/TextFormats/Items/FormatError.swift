/// Why a text cannot be read on.
///
/// Unlike a ``RecordProblem`` it cannot be skipped: where the next record starts,
/// or what the columns mean, is unknown. It is always the input's fault.
package struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error. More may be added.
  package struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's stable name, fit for output that programs read.
    package var rawValue: String

    /// Creates a code from its name.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// There is no byte, or none but byte order mark and blank lines.
    package static let emptyInput = Code(rawValue: "emptyInput")
    /// A NUL byte, or the byte order mark of UTF-16: a binary file.
    package static let notText = Code(rawValue: "notText")
    /// A byte sequence that is not UTF-8.
    package static let invalidUTF8 = Code(rawValue: "invalidUTF8")
    /// The header lacks a column that is wanted.
    package static let missingColumn = Code(rawValue: "missingColumn")
    /// The header has a column that is wanted more than once.
    package static let duplicateColumn = Code(rawValue: "duplicateColumn")
    /// A quote within a field that does not start with one.
    package static let strayQuote = Code(rawValue: "strayQuote")
    /// Something other than a delimiter or line end after a closing quote.
    package static let textAfterQuote = Code(rawValue: "textAfterQuote")
    /// The text ends within a quoted field.
    package static let unterminatedQuote = Code(rawValue: "unterminatedQuote")
    /// A record is longer than the reader's limit.
    package static let recordTooLong = Code(rawValue: "recordTooLong")
  }

  /// The line, counted from 1: that of the bad byte, of the start of the badly
  /// quoted field, or of the start of the record that is too long.
  package var line: Int
  /// The kind of error.
  package var code: Code
  /// A clause that says what is wrong and, where it can, what to do.
  package var message: String

  /// Creates an error.
  package init(line: Int, code: Code, message: String) {
    self.line = line
    self.code = code
    self.message = message
  }

  /// The line and the message: `line 3: the bytes are not UTF-8 …`.
  package var description: String { "line \(line): \(message)" }
}
