import JSONText

/// Finds the members of an NDJSON line that form an item.
struct ItemMembers {
  private let names: FieldNames
  private let key: [UInt8]
  private let width: [UInt8]
  private let height: [UInt8]
  private let section: [UInt8]?
  private let span: [UInt8]?
  private let style: [UInt8]?
  /// The member with the whole data object, or the members that form it.
  private let data: [UInt8]?
  private let parts: [Part]

  /// One reading of a member of the data.
  private struct Part {
    var reading: DataMember.Reading
    var field: [UInt8]
    /// The index of the member.
    var member: Int
  }

  /// The date's field and part that a section is derived from; `nil` for other sections.
  private let sectionDate: (field: [UInt8], part: DatePart)?
  private let constantWidth: Double?
  private let constantHeight: Double?

  init(_ fields: FieldNames) {
    names = fields
    key = Array(fields.key.utf8)
    width = Array(fields.width.utf8)
    height = Array(fields.height.utf8)
    section = (fields.section.name?.utf8).map(Array.init)
    span = (fields.span.name?.utf8).map(Array.init)
    style = (fields.style.name?.utf8).map(Array.init)
    switch fields.data {
    case .object(let name): (data, parts) = (Array(name.utf8), [])
    case .members(let members):
      data = nil
      parts = members.enumerated().flatMap { index, member in
        member.readings.map { Part(reading: $0, field: Array($0.field.utf8), member: index) }
      }
    }
    sectionDate = fields.section.name.flatMap(DatePart.reading)
      .map { (Array($0.field.utf8), $0.part) }
    constantWidth = FieldNames.constant(fields.width)
    constantHeight = FieldNames.constant(fields.height)
  }

  /// Returns the item of a line, with placeholders for invalid values.
  ///
  /// - Parameters:
  ///   - number: The number of the line among those with items, counted from 1.
  ///   - problems: Receives those of values, in the order key, width, height, section, style,
  ///     span, data.
  /// - Throws: The problem of the line as a whole.
  func item(
    in record: TextRecord, number: Int, _ problems: inout [RecordProblem]
  ) throws(RecordProblem) -> ItemRecord {
    var (key, width, height) = (JSONToken(), JSONToken(), JSONToken())
    var (section, span, style) = (JSONToken(), JSONToken(), JSONToken())
    var (object, date) = (JSONToken(), JSONToken())
    var parts = Array(repeating: JSONToken(), count: self.parts.count)
    try record.forEachMember { name, value in
      // No `else`: two fields may share a member. A later member replaces an earlier one.
      if name.spells(self.key, in: record) { key = value }
      if name.spells(self.width, in: record) { width = value }
      if name.spells(self.height, in: record) { height = value }
      if let wanted = self.section, name.spells(wanted, in: record) { section = value }
      if let wanted = self.span, name.spells(wanted, in: record) { span = value }
      if let wanted = self.style, name.spells(wanted, in: record) { style = value }
      if let wanted = data, name.spells(wanted, in: record) { object = value }
      if let sectionDate, name.spells(sectionDate.field, in: record) { date = value }
      for index in parts.indices where name.spells(self.parts[index].field, in: record) {
        parts[index] = value
      }
    }
    return ItemRecord(
      key: problems.value(or: "-") { () throws(RecordProblem) in
        if key.kind == .absent, names.key == FieldNames.rowNumber { return String(number) }
        let text = try key.key(names.key, in: record)
        guard !text.isEmpty else { throw record.problem(.emptyField, of: names.key) }
        return text
      },
      width: problems.value(or: 1) { () throws(RecordProblem) in
        try size(width, names.width, constantWidth, in: record)
      },
      height: problems.value(or: 1) { () throws(RecordProblem) in
        try size(height, names.height, constantHeight, in: record)
      },
      section: problems.value(or: nil) { () throws(RecordProblem) in
        try sectionKey(section, date, in: record)
      },
      style: problems.value(or: nil) { () throws(RecordProblem) in
        try styleName(style, in: record)
      },
      span: problems.value(or: nil) { () throws(RecordProblem) in
        span.isNothing ? nil : try span.integer(names.span.name ?? "span", in: record)
      },
      data: problems.value(or: nil) { () throws(RecordProblem) in
        try dataText(object, parts, in: record)
      },
      line: record.line)
  }

  /// Returns the JSON text of an item's data.
  ///
  /// - Parameter parts: A value for each of the readings in ``parts``.
  private func dataText(
    _ value: JSONToken, _ parts: [JSONToken], in record: TextRecord
  ) throws(RecordProblem) -> String? {
    switch names.data {
    case .object(let name):
      if value.isNothing { return nil }
      let object = try value.content(.object, orElse: .notAnObject, name, in: record)
      return String(decoding: object, as: UTF8.self)
    case .members:
      var json = JSONWriter()
      json.beginObject()
      var isEmpty = true
      var lastMember: Int?
      for (part, value) in zip(self.parts, parts) where value.kind != .absent {
        // The first reading whose member exists is used.
        if part.member == lastMember { continue }
        lastMember = part.member
        if value.isNothing { continue }
        let text =
          try part.reading.type?.json(of: value, part.reading.field, in: record)
          ?? value.json(in: record)
        json.member(part.reading.name)
        json.value(json: text)
        isEmpty = false
      }
      json.endObject()
      return isEmpty ? nil : String(decoding: json.bytes, as: UTF8.self)
    }
  }

  private func size(
    _ value: JSONToken, _ name: String, _ constant: Double?, in record: TextRecord
  ) throws(RecordProblem) -> Double {
    if let constant, value.kind == .absent { return constant }
    return try value.double(name, in: record)
  }

  private func styleName(
    _ value: JSONToken, in record: TextRecord
  ) throws(RecordProblem) -> String? {
    if value.isNothing { return nil }
    let text = try value.key(names.style.name ?? "style", in: record)
    return text.isEmpty ? nil : text
  }

  private func sectionKey(
    _ value: JSONToken, _ date: JSONToken, in record: TextRecord
  ) throws(RecordProblem) -> String? {
    if let sectionDate, value.kind == .absent {
      if date.isNothing { return nil }
      let field = String(decoding: sectionDate.field, as: UTF8.self)
      let text = date.kind == .string ? date.text(in: record) : date.json(in: record)
      return try sectionDate.part.section(text, field, in: record)
    }
    if value.isNothing { return nil }
    let text = try value.key(names.section.name ?? "section", in: record)
    return text.isEmpty ? nil : text
  }
}
