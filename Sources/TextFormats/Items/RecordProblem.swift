import JSONText

/// Why one record states no item, or no operation of a batch, though the text around
/// it can be read.
///
/// It is always the input's fault. The caller of an ``ItemReader`` chooses between
/// skipping the record and giving up, and it is an error so that giving up can throw
/// it; a ``BatchReader`` always gives up.
package struct RecordProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of problem; errors by themselves where line and field are not known.
  package enum Code: Error {
    /// The row ends before the last column that is wanted.
    case tooFewFields
    /// The row has more fields than the header.
    case tooManyFields
    /// The line is not JSON, or nests deeper than 512.
    case malformedJSON
    /// The line, or an element of `items`, is JSON, but not an object.
    case notAnObject
    /// The object lacks a member that it needs.
    case missingField
    /// A field that every item needs is the empty string.
    case emptyField
    /// A JSON member has another type than string.
    case notAString
    /// A size or length is not a decimal number.
    case notANumber
    /// A span or index is not an integer.
    case notAnInteger
    /// A number exceeds what a `Double`, or for a span or index an `Int`, can hold.
    case numberTooLarge
    /// A member of a batch is neither true nor false.
    case notABoolean
    /// A member of a batch is not an array.
    case notAnArray
    /// `op` names no operation.
    case unknownOperation
    /// A member of a batch is none of the words that it may be.
    case unknownValue
    /// An object of a batch has a member that nothing would be made of.
    case unknownMember
    /// An object of a batch has a member twice.
    case duplicateMember
    /// Members of an operation contradict one another.
    case conflictingMembers
    /// A batch gives an item a value beyond one of `Limits`.
    case beyondLimit

    /// The kind that a number's error makes of a field.
    init(_ error: NumberError) {
      self =
        switch error {
        case .notANumber: .notANumber
        case .notAnInteger: .notAnInteger
        case .tooLarge: .numberTooLarge
        }
    }

    /// What the kind says of a field: `is empty`; nil for a kind that says nothing of
    /// one field, or has its own sentence each time.
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
      case .notAnArray: "is not an array"
      case .duplicateMember: "occurs twice"
      case .tooFewFields, .tooManyFields, .malformedJSON, .unknownOperation, .unknownValue,
        .unknownMember, .conflictingMembers, .beyondLimit:
        nil
      }
    }

    /// Whether the kind says that a text is not the number that it should be.
    var isOfNumbers: Bool {
      self == .notANumber || self == .notAnInteger || self == .numberTooLarge
    }
  }

  /// The line, counted from 1, on which the record starts.
  package var line: Int
  /// The kind of problem.
  package var code: Code
  /// The column or member at fault, that of an inserted item as `items[0].width`;
  /// nil when it is the record as a whole.
  package var field: String?
  /// A clause such as `width is not a number: "n/a"`. It quotes at most 80
  /// characters of the text, with control characters escaped.
  package var message: String

  /// The line and the message: `line 12: width is empty`.
  package var description: String { "line \(line): \(message)" }
}
