import TextFormats

/// One thing that an answer says of each of its rows: a member of a JSON object, and a
/// column of a table.
///
/// A list of fields is the one description of a row; programs get its members in the
/// list's order, people its columns.
struct AnswerField<Row> {
  /// Appends the row's member, if programs are told.
  let writeMember: (Row, inout JSONWriter) -> Void
  /// The column; `nil` where only programs are told.
  let column: Table.Column?
  let text: (Row) -> String

  /// A field that both are told.
  ///
  /// - Parameters:
  ///   - heading: The column's heading; the member's name where left out.
  ///   - shown: What people read in place of the value's own text.
  init<Value: AnswerValue>(
    _ name: String, as heading: String? = nil, _ value: @escaping (Row) -> Value,
    shown: ((Row) -> String)? = nil
  ) {
    writeMember = { row, json in json.member(name, value(row)) }
    column = Table.Column(heading: heading ?? name, alignment: Value.isNumber ? .right : .left)
    text = shown ?? { value($0).text }
  }

  private init(
    column: Table.Column?, text: @escaping (Row) -> String,
    writeMember: @escaping (Row, inout JSONWriter) -> Void
  ) {
    self.column = column
    self.text = text
    self.writeMember = writeMember
  }

  /// A field with rows of its own: to programs objects in an array.
  ///
  /// - Parameter shown: What people read; nothing where left out.
  static func rows<Nested>(
    _ name: String, as column: Table.Column? = nil, _ fields: [AnswerField<Nested>],
    _ rows: @escaping (Row) -> [Nested], shown: @escaping (Row) -> String = { _ in "" }
  ) -> AnswerField {
    AnswerField(column: column, text: shown) { row, json in
      json.member(name)
      json.value(rows(row), fields)
    }
  }

  /// A field that only programs are told.
  static func json<Value: AnswerValue>(
    _ name: String, _ value: @escaping (Row) -> Value
  ) -> AnswerField {
    AnswerField(
      column: nil, text: { _ in "" },
      writeMember: { row, json in json.member(name, value(row)) })
  }

  /// A field that a row may not have: no member, and nothing to people.
  ///
  /// - Parameter column: The column; `nil` where only programs are told.
  static func optional<Value: AnswerValue>(
    _ name: String, as column: Table.Column? = nil, _ value: @escaping (Row) -> Value?
  ) -> AnswerField {
    AnswerField(
      column: column, text: { value($0).text },
      writeMember: { row, json in json.optionalMember(name, value(row)) })
  }

  /// A field that only people are told.
  static func table(_ column: Table.Column, _ text: @escaping (Row) -> String) -> AnswerField {
    AnswerField(column: column, text: text) { _, _ in }
  }
}

extension JSONWriter {
  /// Appends an object with a member for each field.
  mutating func value<Row>(_ row: Row, _ fields: [AnswerField<Row>]) {
    beginObject()
    for field in fields { field.writeMember(row, &self) }
    endObject()
  }

  /// Appends an array of objects.
  mutating func value<Row>(_ rows: [Row], _ fields: [AnswerField<Row>]) {
    beginArray()
    for row in rows { value(row, fields) }
    endArray()
  }
}

extension Table {
  /// A table with a row for each of `rows`. Columns that say nothing of any are left out.
  init<Row>(_ rows: [Row], _ fields: [AnswerField<Row>]) {
    let columns = fields.compactMap { field in
      field.column.map { (column: $0, texts: rows.map(field.text)) }
    }.filter { $0.texts.contains { !$0.isEmpty } }
    self.init(columns.map(\.column))
    for index in rows.indices { add(columns.map { $0.texts[index] }) }
  }
}
