extension RecordProblem {
  static func missing(_ field: String, line: Int) -> RecordProblem {
    RecordProblem(
      line: line, code: .missingField, field: field, message: "\(excerpt(field)) is missing")
  }

  static func empty(_ field: String, line: Int) -> RecordProblem {
    RecordProblem(
      line: line, code: .emptyField, field: field, message: "\(excerpt(field)) is empty")
  }

  static func notAString(
    _ field: String, _ text: UnsafeRawBufferPointer, line: Int
  ) -> RecordProblem {
    RecordProblem(
      line: line, code: .notAString, field: field,
      message: "\(excerpt(field)) is not a string: \(excerpt(of: text))")
  }

  static func number(
    _ defect: DecimalDefect, _ field: String, _ text: UnsafeRawBufferPointer, line: Int
  ) -> RecordProblem {
    let (code, clause): (Code, String) =
      switch defect {
      case .notANumber: (.notANumber, "is not a number")
      case .notAnInteger: (.notAnInteger, "is not an integer")
      case .tooLarge: (.numberTooLarge, "is too large")
      }
    return RecordProblem(
      line: line, code: code, field: field,
      message: "\(excerpt(field)) \(clause): \"\(excerpt(of: text))\"")
  }
}
