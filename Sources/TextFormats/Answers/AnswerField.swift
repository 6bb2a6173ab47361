/// One thing that an answer says of each of its rows: a member of a JSON object, and a
/// column of a table.
///
/// A list of fields is the one description of a row; programs get its members in the
/// list's order, people its columns.
package struct AnswerField<Row> {
  /// Appends the row's member, if programs are told.
  package let writeMember: (Row, inout JSONWriter) -> Void
  /// The column; `nil` where only programs are told.
  package let column: AnswerColumn?
  package let text: (Row) -> String

  /// A field that both are told.
  ///
  /// - Parameters:
  ///   - heading: The column's heading; the member's name where left out.
  ///   - shown: What people read in place of the value's own text.
  package init<Value: AnswerValue>(
    _ name: String, as heading: String? = nil, _ value: @escaping (Row) -> Value,
    shown: ((Row) -> String)? = nil
  ) {
    writeMember = { row, json in json.member(name, value(row)) }
    column = AnswerColumn(heading: heading ?? name, alignment: Value.isNumber ? .right : .left)
    text = shown ?? { value($0).text }
  }

  private init(
    column: AnswerColumn?, text: @escaping (Row) -> String,
    writeMember: @escaping (Row, inout JSONWriter) -> Void
  ) {
    self.column = column
    self.text = text
    self.writeMember = writeMember
  }

  /// A field with rows of its own: to programs objects in an array.
  ///
  /// - Parameter shown: What people read; nothing where left out.
  package static func rows<Nested>(
    _ name: String, as column: AnswerColumn? = nil, _ fields: [AnswerField<Nested>],
    _ rows: @escaping (Row) -> [Nested], shown: @escaping (Row) -> String = { _ in "" }
  ) -> AnswerField {
    AnswerField(column: column, text: shown) { row, json in
      json.member(name)
      json.value(rows(row), fields)
    }
  }

  /// A field that only programs are told.
  package static func json<Value: AnswerValue>(
    _ name: String, _ value: @escaping (Row) -> Value
  ) -> AnswerField {
    AnswerField(
      column: nil, text: { _ in "" },
      writeMember: { row, json in json.member(name, value(row)) })
  }

  /// A field that a row may not have: no member, and nothing to people.
  ///
  /// - Parameter column: The column; `nil` where only programs are told.
  package static func optional<Value: AnswerValue>(
    _ name: String, as column: AnswerColumn? = nil, _ value: @escaping (Row) -> Value?
  ) -> AnswerField {
    AnswerField(
      column: column, text: { value($0).text },
      writeMember: { row, json in json.optionalMember(name, value(row)) })
  }

  /// The same field of a row that holds this one.
  package func of<Outer>(_ row: @escaping (Outer) -> Row) -> AnswerField<Outer> {
    AnswerField<Outer>(column: column, text: { text(row($0)) }) { outer, json in
      writeMember(row(outer), &json)
    }
  }

  /// A field that only people are told.
  package static func table(_ column: AnswerColumn, _ text: @escaping (Row) -> String)
    -> AnswerField
  {
    AnswerField(column: column, text: text) { _, _ in }
  }
}

extension JSONWriter {
  /// Appends an object with a member for each field.
  package mutating func value<Row>(_ row: Row, _ fields: [AnswerField<Row>]) {
    beginObject()
    for field in fields { field.writeMember(row, &self) }
    endObject()
  }

  /// Appends an array of objects.
  package mutating func value<Row>(_ rows: [Row], _ fields: [AnswerField<Row>]) {
    beginArray()
    for row in rows { value(row, fields) }
    endArray()
  }
}
