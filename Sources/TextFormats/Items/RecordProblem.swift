/// Why one record states no item, or no operation of a batch, though the text around
/// it can be read.
///
/// It is always the input's fault. The caller of an ``ItemReader`` chooses between
/// skipping the record and giving up, and it is an error so that giving up can throw
/// it; a ``BatchReader`` always gives up.
package struct RecordProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of problem. More may be added.
  package struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's stable name, fit for output that programs read.
    package var rawValue: String

    /// Creates a code from its name.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The row ends before the last column that is wanted.
    package static let tooFewFields = Code(rawValue: "tooFewFields")
    /// The row has more fields than the header.
    package static let tooManyFields = Code(rawValue: "tooManyFields")
    /// The line is not JSON, or nests deeper than 512.
    package static let malformedJSON = Code(rawValue: "malformedJSON")
    /// The line, or an element of `items`, is JSON, but not an object.
    package static let notAnObject = Code(rawValue: "notAnObject")
    /// The object lacks a member that it needs.
    package static let missingField = Code(rawValue: "missingField")
    /// A field that every item needs is the empty string.
    package static let emptyField = Code(rawValue: "emptyField")
    /// A JSON member has another type than string.
    package static let notAString = Code(rawValue: "notAString")
    /// A size or length is not a decimal number.
    package static let notANumber = Code(rawValue: "notANumber")
    /// A span or index is not an integer.
    package static let notAnInteger = Code(rawValue: "notAnInteger")
    /// A number exceeds what a `Double`, or for a span or index an `Int`, can hold.
    package static let numberTooLarge = Code(rawValue: "numberTooLarge")
    /// A member of a batch is neither true nor false.
    package static let notABoolean = Code(rawValue: "notABoolean")
    /// A member of a batch is not an array.
    package static let notAnArray = Code(rawValue: "notAnArray")
    /// `op` names no operation.
    package static let unknownOperation = Code(rawValue: "unknownOperation")
    /// An object of a batch has a member that nothing would be made of.
    package static let unknownMember = Code(rawValue: "unknownMember")
    /// An object of a batch has a member twice.
    package static let duplicateMember = Code(rawValue: "duplicateMember")
    /// Members of an operation contradict one another.
    package static let conflictingMembers = Code(rawValue: "conflictingMembers")
    /// A batch gives an item a value beyond one of `Limits`.
    package static let beyondLimit = Code(rawValue: "beyondLimit")
  }

  /// The line, counted from 1, on which the record starts.
  package var line: Int
  /// The kind of problem.
  package var code: Code
  /// The column or member at fault, that of an inserted item as `items[0].width`;
  /// nil when it is the record as a whole.
  package var field: String?
  /// A clause such as `width is not a number: "n/a"`. It quotes at most 40
  /// characters of the text, with control characters escaped; only `beyondLimit`
  /// quotes an item's key, and as it is.
  package var message: String

  /// Creates a problem.
  package init(line: Int, code: Code, field: String? = nil, message: String) {
    self.line = line
    self.code = code
    self.field = field
    self.message = message
  }

  /// The line and the message: `line 12: width is empty`.
  package var description: String { "line \(line): \(message)" }
}
