/// The columns that form an item's data.
enum DataColumns {
  typealias Member = (name: String, column: Int)

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
  func json(in record: TextRecord) -> String? {
    switch self {
    case .object(let column):
      guard let column, record.fields[column].trimmed(in: record) != nil else { return nil }
      return record.fields[column].text(in: record)
    case .members(let members):
      var json = JSONWriter()
      json.beginObject()
      var isEmpty = true
      for (name, column) in members {
        let text = record.fields[column].text(in: record)
        if text.isEmpty { continue }
        json.member(name, text)
        isEmpty = false
      }
      json.endObject()
      return isEmpty ? nil : String(decoding: json.bytes, as: UTF8.self)
    }
  }
}
