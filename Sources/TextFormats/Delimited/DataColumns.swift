/// The columns that form an item's data.
enum DataColumns {
  typealias Member = (reading: DataMember.Reading, column: Int)

  /// One column with the JSON text; `nil` if the header does not have it.
  case object(Int?)
  /// Texts, each a member of the object.
  case members([Member])

  /// The largest index of a column; 0 for none.
  var last: Int {
    switch self {
    case .object(let column): column ?? 0
    case .members(let members): members.map(\.column).max() ?? 0
    }
  }

  /// Returns the JSON text in a row, possibly invalid; `nil` for none.
  ///
  /// - Throws: The problem of a value that is not of its type.
  func json(in record: TextRecord, _ shape: TextShape) throws(RecordProblem) -> String? {
    switch self {
    case .object(let column):
      guard let column, record.fields[column].trimmed(in: record) != nil else { return nil }
      return record.fields[column].text(in: record)
    case .members(let members):
      var json = JSONWriter()
      json.beginObject()
      var isEmpty = true
      for (reading, column) in members {
        let text = record.fields[column].text(in: record)
        if text.isEmpty, reading.type != .list { continue }
        if let type = reading.type {
          let value = try type.json(ofText: text, reading.field, shape, in: record)
          json.member(reading.name)
          json.value(json: value)
        } else {
          json.member(reading.name, text)
        }
        isEmpty = false
      }
      json.endObject()
      return isEmpty ? nil : String(decoding: json.bytes, as: UTF8.self)
    }
  }
}
