import JSONText

/// Finds the members of an NDJSON line that form an item.
struct ItemMembers {
  private let names: FieldNames
  private let key: [UInt8]
  private let width: [UInt8]
  private let height: [UInt8]
  private let section: [UInt8]?
  private let span: [UInt8]?
  private let hidden: [UInt8]?
  private let style: [UInt8]?
  private let orientation: [UInt8]?
  private let shape: TextShape
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
  /// Whether a name may be a path to a member of a member.
  private let hasPaths: Bool

  init(_ fields: FieldNames, _ shape: TextShape) {
    names = fields
    self.shape = shape
    orientation = (fields.orientation.name?.utf8).map(Array.init)
    key = Array(fields.key.utf8)
    width = Array(fields.width.utf8)
    height = Array(fields.height.utf8)
    section = (fields.section.name?.utf8).map(Array.init)
    span = (fields.span.name?.utf8).map(Array.init)
    hidden = (fields.hidden.name?.utf8).map(Array.init)
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
    let names =
      [key, width, height]
      + [section, span, hidden, style, orientation, sectionDate?.field].compactMap { $0 }
      + parts.map(\.field)
    hasPaths = names.contains { $0.contains(UInt8(ascii: ".")) }
  }

  /// Returns the item of a line, with placeholders for invalid values.
  ///
  /// - Parameters:
  ///   - number: The number of the line among those with items, counted from 1.
  ///   - problems: Receives those of values, in the order key, width, height, section, style,
  ///     span, hidden, data.
  /// - Throws: The problem of the line as a whole.
  func item(
    in record: TextRecord, number: Int, _ problems: inout [RecordProblem]
  ) throws(RecordProblem) -> ItemRecord {
    var (key, width, height) = (JSONToken(), JSONToken(), JSONToken())
    var (section, span, style, hidden) = (JSONToken(), JSONToken(), JSONToken(), JSONToken())
    var (object, date, orientation) = (JSONToken(), JSONToken(), JSONToken())
    var parts = Array(repeating: JSONToken(), count: self.parts.count)
    try record.forEachMember { name, value in
      // No `else`: two fields may share a member. A later member replaces an earlier one.
      if name.spells(self.key, in: record) { key = value }
      if name.spells(self.width, in: record) { width = value }
      if name.spells(self.height, in: record) { height = value }
      if let wanted = self.section, name.spells(wanted, in: record) { section = value }
      if let wanted = self.span, name.spells(wanted, in: record) { span = value }
      if let wanted = self.hidden, name.spells(wanted, in: record) { hidden = value }
      if let wanted = self.style, name.spells(wanted, in: record) { style = value }
      if let wanted = data, name.spells(wanted, in: record) { object = value }
      if let sectionDate, name.spells(sectionDate.field, in: record) { date = value }
      if let wanted = self.orientation, name.spells(wanted, in: record) { orientation = value }
      for index in parts.indices where name.spells(self.parts[index].field, in: record) {
        parts[index] = value
      }
    }
    if hasPaths {
      record.find(self.key, &key)
      record.find(self.width, &width)
      record.find(self.height, &height)
      record.find(self.section, &section)
      record.find(self.span, &span)
      record.find(self.hidden, &hidden)
      record.find(self.style, &style)
      record.find(self.orientation, &orientation)
      record.find(sectionDate?.field, &date)
      for index in parts.indices { record.find(self.parts[index].field, &parts[index]) }
    }
    let keyText = problems.value(or: "-") { () throws(RecordProblem) in
      if key.kind == .absent, names.key == FieldNames.rowNumber { return String(number) }
      let text = try key.key(names.key, in: record)
      guard !text.isEmpty else { throw record.problem(.emptyField, of: names.key) }
      return text
    }
    let size = size(width, height, orientation, &problems, in: record)
    return ItemRecord(
      key: keyText, width: size.width, height: size.height,
      section: problems.value(or: nil) { () throws(RecordProblem) in
        try sectionKey(section, date, in: record)
      },
      style: problems.value(or: nil) { () throws(RecordProblem) in
        try styleName(style, in: record)
      },
      hasSize: size.isGiven,
      span: problems.value(or: nil) { () throws(RecordProblem) in
        span.isNothing
          ? nil
          : try parsed(
            span, names.span.name ?? "span", orElse: .notAnInteger, parseInteger, in: record)
      },
      visibility: problems.value(or: nil) { () throws(RecordProblem) in
        if hidden.isNothing { return nil }
        return try hidden.visibility(names.hidden.name ?? "hidden", in: record)
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
          try part.reading.type?.json(of: value, part.reading.field, shape, in: record)
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
    _ width: JSONToken, _ height: JSONToken, _ orientation: JSONToken,
    _ problems: inout [RecordProblem], in record: TextRecord
  ) -> FieldNames.RowSize {
    let (width, height) = (
      problems.value(or: 1) { () throws(RecordProblem) in
        try side(width, names.width, constantWidth, in: record)
      },
      problems.value(or: 1) { () throws(RecordProblem) in
        try side(height, names.height, constantHeight, in: record)
      }
    )
    return problems.value(or: FieldNames.RowSize()) { () throws(RecordProblem) in
      let content = orientation.isNothing ? nil : orientation.content(in: record)
      return try names.size(
        width, height, orientation: content.map { String(decoding: $0, as: UTF8.self) },
        isConstant: (constantWidth != nil, constantHeight != nil)
      ) {
        record.problem(
          .notAnOrientation, of: names.orientation.name ?? "orientation", found: content)
      }
    }
  }

  private func side(
    _ value: JSONToken, _ name: String, _ constant: Double?, in record: TextRecord
  ) throws(RecordProblem) -> Double? {
    if let constant, value.kind == .absent { return constant }
    let isEmpty = value.isNothing || value.kind == .string && value.start + 2 == value.end
    if isEmpty, names.size != nil { return nil }
    return try parsed(value, name, orElse: .notANumber, parseDouble, in: record)
  }

  /// Returns a number, which a string may hold.
  private func parsed<Number>(
    _ value: JSONToken, _ name: String, orElse other: RecordProblem.Code,
    _ parse: (UnsafeRawBufferPointer) throws(NumberError) -> Number, in record: TextRecord
  ) throws(RecordProblem) -> Number {
    guard value.kind == .string else {
      let content = try value.content(.number, orElse: other, name, in: record)
      return try record.number(content, of: name, parse)
    }
    let field = DelimitedField(start: value.start + 1, end: value.end - 1)
    guard let text = field.trimmed(in: record) else { throw record.problem(.emptyField, of: name) }
    return try record.number(text, shape, of: name, parse)
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
