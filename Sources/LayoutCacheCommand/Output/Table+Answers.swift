import TextFormats

extension Table {
  /// Creates a table with a row for each of `rows`. Columns without any text are omitted.
  init<Row>(_ rows: [Row], _ fields: [AnswerField<Row>]) {
    let columns = fields.compactMap { field in
      field.column.map { (column: $0, texts: rows.map(field.text)) }
    }.filter { $0.texts.contains { !$0.isEmpty } }
    self.init(columns.map(\.column))
    for index in rows.indices { add(columns.map { $0.texts[index] }) }
  }
}
