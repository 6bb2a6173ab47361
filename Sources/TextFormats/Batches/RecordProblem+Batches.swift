extension RecordProblem {
  static func unknownMember(
    _ field: String, allowed: [String], of owner: String, line: Int
  ) -> RecordProblem {
    RecordProblem(
      line: line, code: .unknownMember, field: field,
      message: """
        "\(excerpt(field))" is no member of \(owner), which has \
        \(allowed.joined(separator: ", "))
        """)
  }

  static func duplicateMember(_ field: String, line: Int) -> RecordProblem {
    RecordProblem(
      line: line, code: .duplicateMember, field: field, message: "\(excerpt(field)) occurs twice")
  }

  static func notABoolean(
    _ field: String, _ text: UnsafeRawBufferPointer, line: Int
  ) -> RecordProblem {
    RecordProblem(
      line: line, code: .notABoolean, field: field,
      message: "\(excerpt(field)) is neither true nor false: \(excerpt(of: text))")
  }

  static func notAnArray(
    _ field: String, _ text: UnsafeRawBufferPointer, line: Int
  ) -> RecordProblem {
    RecordProblem(
      line: line, code: .notAnArray, field: field,
      message: "\(excerpt(field)) is not an array: \(excerpt(of: text))")
  }

  static func notAnObject(
    _ field: String, _ text: UnsafeRawBufferPointer, line: Int
  ) -> RecordProblem {
    RecordProblem(
      line: line, code: .notAnObject, field: field,
      message: "\(excerpt(field)) is not an object: \(excerpt(of: text))")
  }
}
