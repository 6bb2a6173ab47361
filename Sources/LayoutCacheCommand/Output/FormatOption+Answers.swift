import TextFormats

extension FormatOption {
  /// Prints rows: in JSON, an object with their array; otherwise a table, or a sentence if
  /// there are none.
  ///
  /// - Parameters:
  ///   - name: The array's name.
  ///   - members: Appends the members before the array.
  func print<Row>(
    _ name: String, _ rows: [Row], _ fields: [AnswerField<Row>], whenEmpty sentence: String,
    members: (inout JSONWriter) -> Void = { _ in }
  ) throws {
    if json {
      try StandardOutput.printJSON { json in
        json.beginObject()
        members(&json)
        json.member(name)
        json.value(rows, fields)
        json.endObject()
      }
    } else if rows.isEmpty {
      try StandardOutput.printLine(sentence)
    } else {
      try Table(rows, fields).print()
    }
  }

  /// Prints one row: in JSON, an object; otherwise a line per field.
  func print<Row>(_ row: Row, _ fields: [AnswerField<Row>]) throws {
    if json { return try StandardOutput.printJSON { $0.value(row, fields) } }
    try StandardOutput.print(row, fields)
  }

  /// Prints an outcome: in JSON, an object; otherwise a sentence.
  func print(_ sentence: String, members: (inout JSONWriter) -> Void) throws {
    guard json else { return try StandardOutput.printLine(sentence) }
    try StandardOutput.printJSON { json in
      json.beginObject()
      members(&json)
      json.endObject()
    }
  }
}

extension StandardOutput {
  /// Prints the fields of one row: one line per field, with its name and its text aligned.
  static func print<Row>(_ row: Row, _ fields: [AnswerField<Row>]) throws {
    let facts = fields.compactMap { field in
      field.column.map { (name: $0.heading, text: field.text(row)) }
    }.filter { !$0.text.isEmpty }
    var output = StandardOutput()
    try output.write(LayoutCacheCommand.facts(facts, .of()))
    try output.flush()
  }
}
