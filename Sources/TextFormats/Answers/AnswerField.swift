/// One field of each row of an answer: a member of a JSON object, and a column of a table.
///
/// A list of fields is the only description of a row: JSON has its members in the list's order,
/// tables its columns.
package struct AnswerField<Row> {
  /// Appends the row's JSON member, if any; `nil` for a field only in tables.
  package let writeMember: ((Row, inout JSONWriter) -> Void)?
  /// The column; `nil` for a field only in JSON.
  package let column: AnswerColumn?
  package let text: (Row) -> String

  /// Creates a field for both JSON and tables.
  ///
  /// - Parameters:
  ///   - heading: The column's heading; by default the member's name.
  ///   - shown: The text in tables, instead of the value's text.
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
    writeMember: ((Row, inout JSONWriter) -> Void)?
  ) {
    (self.column, self.text, self.writeMember) = (column, text, writeMember)
  }

  /// Returns a field with nested rows: in JSON, objects in an array.
  ///
  /// - Parameter shown: The text in tables; empty by default.
  package static func rows<Nested>(
    _ name: String, as column: AnswerColumn? = nil, _ fields: [AnswerField<Nested>],
    _ rows: @escaping (Row) -> [Nested], shown: @escaping (Row) -> String = { _ in "" }
  ) -> AnswerField {
    AnswerField(column: column, text: shown) { row, json in
      json.member(name)
      json.value(rows(row), fields)
    }
  }

  /// Returns an optional field with nested rows: without rows, it has no member.
  package static func optionalRows<Nested>(
    _ name: String, _ fields: [AnswerField<Nested>], _ rows: @escaping (Row) -> [Nested]?
  ) -> AnswerField {
    AnswerField(
      column: nil, text: { _ in "" },
      writeMember: { row, json in
        guard let rows = rows(row) else { return }
        json.member(name)
        json.value(rows, fields)
      })
  }

  /// Returns a field only for JSON.
  package static func json<Value: AnswerValue>(
    _ name: String, _ value: @escaping (Row) -> Value
  ) -> AnswerField {
    AnswerField(
      column: nil, text: { _ in "" },
      writeMember: { row, json in json.member(name, value(row)) })
  }

  /// Returns an optional field: without a value, it has no member and an empty text.
  ///
  /// - Parameter column: The column; `nil` for a field only in JSON.
  package static func optional<Value: AnswerValue>(
    _ name: String, as column: AnswerColumn? = nil, _ value: @escaping (Row) -> Value?
  ) -> AnswerField {
    AnswerField(
      column: column, text: { value($0).text },
      writeMember: { row, json in json.optionalMember(name, value(row)) })
  }

  /// Returns the same field for rows that contain this row.
  package func of<Outer>(_ row: @escaping (Outer) -> Row) -> AnswerField<Outer> {
    AnswerField<Outer>(
      column: column, text: { text(row($0)) },
      writeMember: writeMember.map { write in { outer, json in write(row(outer), &json) } })
  }

  /// The same field without a column.
  package var onlyJSON: AnswerField {
    AnswerField(column: nil, text: { _ in "" }, writeMember: writeMember)
  }

  /// Returns a field only for tables.
  package static func table(_ column: AnswerColumn, _ text: @escaping (Row) -> String)
    -> AnswerField
  {
    AnswerField(column: column, text: text, writeMember: nil)
  }
}

extension JSONWriter {
  /// Appends an object with a member for each field.
  package mutating func value<Row>(_ row: Row, _ fields: [AnswerField<Row>]) {
    beginObject()
    for field in fields { field.writeMember?(row, &self) }
    endObject()
  }

  /// Appends an array of objects.
  ///
  /// - Returns: As ``array(of:_:)``.
  @discardableResult
  package mutating func value<Row>(_ rows: [Row], _ fields: [AnswerField<Row>]) -> Int {
    array(of: rows) { $0.value($1, fields) }
  }
}
