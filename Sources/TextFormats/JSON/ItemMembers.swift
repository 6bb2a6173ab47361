import JSONText

/// Finds the members of an NDJSON line that form an item.
struct ItemMembers {
  private let names: FieldNames
  private let key: [UInt8]
  private let width: [UInt8]
  private let height: [UInt8]
  private let section: [UInt8]?
  private let span: [UInt8]?
  /// The member with the whole data object, or the members that form it.
  private let data: [UInt8]?
  private let parts: [[UInt8]]

  init(_ fields: FieldNames) {
    names = fields
    key = Array(fields.key.utf8)
    width = Array(fields.width.utf8)
    height = Array(fields.height.utf8)
    section = (fields.section.name?.utf8).map(Array.init)
    span = (fields.span.name?.utf8).map(Array.init)
    switch fields.data {
    case .object(let name): (data, parts) = (Array(name.utf8), [])
    case .members(let names): (data, parts) = (nil, names.map { Array($0.utf8) })
    }
  }

  /// Returns the item of a line.
  ///
  /// - Throws: The first problem, in the order line, key, width, height, section, span, data.
  func item(in record: TextRecord) throws(RecordProblem) -> ItemRecord {
    var (key, width, height) = (JSONToken(), JSONToken(), JSONToken())
    var (section, span) = (JSONToken(), JSONToken())
    var object = JSONToken()
    var parts = Array(repeating: JSONToken(), count: self.parts.count)
    try record.forEachMember { name, value in
      // No `else`: two fields may share a member. A later member replaces an earlier one.
      if name.spells(self.key, in: record) { key = value }
      if name.spells(self.width, in: record) { width = value }
      if name.spells(self.height, in: record) { height = value }
      if let wanted = self.section, name.spells(wanted, in: record) { section = value }
      if let wanted = self.span, name.spells(wanted, in: record) { span = value }
      if let wanted = data, name.spells(wanted, in: record) { object = value }
      for index in parts.indices where name.spells(self.parts[index], in: record) {
        parts[index] = value
      }
    }
    let keyText = try key.key(names.key, in: record)
    guard !keyText.isEmpty else { throw record.problem(.emptyField, of: names.key) }
    return ItemRecord(
      key: keyText,
      width: try width.double(names.width, in: record),
      height: try height.double(names.height, in: record),
      section: try sectionKey(section, in: record),
      span: span.isNothing ? nil : try span.integer(names.span.name ?? "span", in: record),
      data: try dataText(object, parts, in: record),
      line: record.line)
  }

  /// Returns the JSON text of an item's data.
  ///
  /// - Parameter parts: A value for each of the names in ``parts``.
  private func dataText(
    _ value: JSONToken, _ parts: [JSONToken], in record: TextRecord
  ) throws(RecordProblem) -> String? {
    switch names.data {
    case .object(let name):
      if value.isNothing { return nil }
      let object = try value.content(.object, orElse: .notAnObject, name, in: record)
      return String(decoding: object, as: UTF8.self)
    case .members(let names):
      var json = JSONWriter()
      json.beginObject()
      for (name, value) in zip(names, parts) where !value.isNothing {
        json.member(name)
        json.value(json: value.json(in: record))
      }
      json.endObject()
      return parts.allSatisfy(\.isNothing) ? nil : String(decoding: json.bytes, as: UTF8.self)
    }
  }

  private func sectionKey(
    _ value: JSONToken, in record: TextRecord
  ) throws(RecordProblem) -> String? {
    if value.isNothing { return nil }
    let text = try value.key(names.section.name ?? "section", in: record)
    return text.isEmpty ? nil : text
  }
}
