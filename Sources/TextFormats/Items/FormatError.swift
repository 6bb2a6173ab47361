/// Why a text cannot be read on.
///
/// Unlike a ``RecordProblem`` it cannot be skipped: where the next record starts,
/// or what the columns mean, is unknown. It is always the input's fault.
public struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error. More may be added.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's stable name, fit for output that programs read.
    public var rawValue: String

    /// Creates a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no byte, or none but byte order mark and blank lines.
    public static let emptyInput = Code(rawValue: "emptyInput")
    /// A NUL byte, or the byte order mark of UTF-16: a binary file.
    public static let notText = Code(rawValue: "notText")
    /// A byte sequence that is not UTF-8.
    public static let invalidUTF8 = Code(rawValue: "invalidUTF8")
    /// The header lacks a column that is wanted.
    public static let missingColumn = Code(rawValue: "missingColumn")
    /// The header has a column that is wanted more than once.
    public static let duplicateColumn = Code(rawValue: "duplicateColumn")
    /// A quote within a field that does not start with one.
    public static let strayQuote = Code(rawValue: "strayQuote")
    /// Something other than a delimiter or line end after a closing quote.
    public static let textAfterQuote = Code(rawValue: "textAfterQuote")
    /// The text ends within a quoted field.
    public static let unterminatedQuote = Code(rawValue: "unterminatedQuote")
    /// A record is longer than the reader's limit.
    public static let recordTooLong = Code(rawValue: "recordTooLong")
  }

  /// The line, counted from 1: that of the bad byte, of the start of the badly
  /// quoted field, or of the start of the record that is too long.
  public var line: Int
  /// The kind of error.
  public var code: Code
  /// A clause that says what is wrong and, where it can, what to do.
  public var message: String

  /// Creates an error.
  public init(line: Int, code: Code, message: String) {
    self.line = line
    self.code = code
    self.message = message
  }

  /// The line and the message: `line 3: the bytes are not UTF-8 …`.
  public var description: String { "line \(line): \(message)" }
}
