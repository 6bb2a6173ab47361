import JSONText

/// The reason that one record is not a valid item, or not a valid operation of a batch,
/// although the surrounding text can be parsed.
///
/// It is always the input's fault. The caller of an ``ItemReader`` chooses between skipping the
/// record and failing, for which it can throw the problem; a ``BatchReader`` always fails.
package struct RecordProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of problem.
  package enum Code: Hashable, Sendable {
    /// The row ends before the last required column.
    case tooFewFields
    /// The row has more fields than the header.
    case tooManyFields
    /// The record has a NUL byte, as in a binary file.
    case notText
    /// A byte sequence is not UTF-8.
    case invalidUTF8
    /// A quote opens no field, or does not close one.
    case misplacedQuote
    /// The record is longer than the reader's limit.
    case tooLong
    /// The line is not JSON, or nests deeper than 512.
    case malformedJSON
    /// The line, or an element of `items`, is JSON, but not an object.
    case notAnObject
    /// The object lacks a required member.
    case missingField
    /// A required field is the empty string.
    case emptyField
    /// A JSON member has another type than string.
    case notAString
    /// A size or length is not a decimal number.
    case notANumber
    /// A span or index is not an integer.
    case notAnInteger
    /// A number exceeds what a `Double`, or for a span or index an `Int`, can hold.
    case numberTooLarge
    /// A value is neither true nor false.
    case notABoolean
    /// The visibility of an item is none.
    case notAVisibility
    /// The value that the section is derived from is not a date.
    case notADate
    /// The value is not one of EXIF's orientations.
    case notAnOrientation
    /// A member of a batch is not an array.
    case notAnArray
    /// `op` is an unknown operation.
    case unknownOperation
    /// A member of a batch is not one of the accepted words.
    case unknownValue
    /// An object of a batch has an unknown member.
    case unknownMember
    /// An object of a batch has a duplicate member.
    case duplicateMember
    /// Members of an operation contradict one another.
    case conflictingMembers
    /// A value is beyond one of `Limits`.
    case beyondLimit
    /// An earlier row, or the dataset, has the key.
    case duplicateKey
    /// An earlier row states another style for the section.
    case otherStyle

    /// Creates the problem of a field from a number's error.
    init(_ error: NumberError) {
      self =
        switch error {
        case .notANumber: .notANumber
        case .notAnInteger: .notAnInteger
        case .tooLarge: .numberTooLarge
        }
    }

    /// The clause for a field: `is empty`; `nil` for a kind that does not concern one field, or
    /// has a specific message each time.
    package var clause: String? {
      switch self {
      case .notAnObject: "is not an object"
      case .missingField: "is missing"
      case .emptyField: "is empty"
      case .notAString: "is not a string"
      case .notANumber: "is not a number"
      case .notAnInteger: "is not an integer"
      case .numberTooLarge: "is too large"
      case .notABoolean: "is neither true nor false"
      case .notAVisibility: "is not true, false or \"collapsed\""
      case .notADate: "is not a date"
      case .notAnOrientation: "is not an orientation from 1 to 8"
      case .notAnArray: "is not an array"
      case .duplicateMember: "occurs twice"
      case .tooFewFields, .tooManyFields, .notText, .invalidUTF8, .misplacedQuote, .tooLong,
        .malformedJSON, .unknownOperation, .unknownValue,
        .unknownMember, .conflictingMembers, .beyondLimit, .duplicateKey, .otherStyle:
        nil
      }
    }

    /// Whether the kind means that a text is not the required number.
    var isOfNumbers: Bool {
      self == .notANumber || self == .notAnInteger || self == .numberTooLarge
    }
  }

  /// The line, counted from 1, on which the record starts.
  package var line: Int
  /// The kind of problem.
  package var code: Code
  /// The column or member at fault, for an inserted item such as `items[0].width`; `nil` for
  /// the record as a whole.
  package var field: String?
  /// A clause such as `width is not a number: "n/a"`. It quotes at most 80
  /// characters of the text, with control characters escaped.
  package var message: String
  /// For a value beyond a limit, the problem without the value.
  var limitGroup: String?

  /// The line and the message: `line 12: width is empty`.
  package var description: String { "line \(line): \(message)" }
}
