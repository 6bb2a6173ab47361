/// The column of a table for a field.
package struct AnswerColumn: Hashable, Sendable {
  package enum Alignment: Sendable {
    case left
    case right
  }

  package var heading: String
  package var alignment: Alignment

  /// A column of words.
  package static func text(_ heading: String) -> AnswerColumn {
    AnswerColumn(heading: heading, alignment: .left)
  }

  package static func number(_ heading: String) -> AnswerColumn {
    AnswerColumn(heading: heading, alignment: .right)
  }
}
