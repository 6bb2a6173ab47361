import TextFormats

extension FormatOption {
  /// Prints rows: to programs an object that holds their array, to people a table, or
  /// a sentence where there are none.
  ///
  /// - Parameters:
  ///   - name: The array's name.
  ///   - members: Appends what is before the array.
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

  /// Prints what has been done: to programs an object, to people a sentence.
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
  /// Prints what is said of one row: a line for each field, its name and its text aligned.
  static func print<Row>(_ row: Row, _ fields: [AnswerField<Row>]) throws {
    let facts = fields.compactMap { field in
      field.column.map { (name: $0.heading, text: field.text(row)) }
    }.filter { !$0.text.isEmpty }
    var output = StandardOutput()
    try output.write(LayoutCacheCommand.facts(facts, .of()))
    try output.flush()
  }
}
