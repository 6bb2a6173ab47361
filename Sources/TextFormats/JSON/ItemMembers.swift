import LayoutCache

/// Finds the members of one NDJSON line that make up an item.
struct ItemMembers {
  private let names: FieldNames
  private let key: [UInt8]
  private let width: [UInt8]
  private let height: [UInt8]
  private let section: [UInt8]?
  private let span: [UInt8]?

  init(_ fields: FieldNames) {
    names = fields
    key = Array(fields.key.utf8)
    width = Array(fields.width.utf8)
    height = Array(fields.height.utf8)
    section = (fields.section.name?.utf8).map(Array.init)
    span = (fields.span.name?.utf8).map(Array.init)
  }

  /// Returns the item that a line states.
  ///
  /// - Throws: The first problem, in the order line, key, width, height, section,
  ///   span.
  func item(in record: TextRecord) throws(RecordProblem) -> ItemRecord {
    var (key, width, height) = (JSONToken(), JSONToken(), JSONToken())
    var (section, span) = (JSONToken(), JSONToken())
    try record.forEachMember { name, value in
      // No `else`: two fields may share a member. A later member replaces an earlier.
      if name.spells(self.key, in: record) { key = value }
      if name.spells(self.width, in: record) { width = value }
      if name.spells(self.height, in: record) { height = value }
      if let wanted = self.section, name.spells(wanted, in: record) { section = value }
      if let wanted = self.span, name.spells(wanted, in: record) { span = value }
    }
    let keyText = try key.string(names.key, in: record)
    guard !keyText.isEmpty else { throw record.problem(.emptyField, of: names.key) }
    return ItemRecord(
      key: keyText,
      width: try width.double(names.width, in: record),
      height: try height.double(names.height, in: record),
      section: try sectionKey(section, in: record),
      span: span.isNothing ? nil : try span.integer(names.span.name ?? "span", in: record),
      line: record.line)
  }

  private func sectionKey(
    _ value: JSONToken, in record: TextRecord
  ) throws(RecordProblem) -> String? {
    if value.isNothing { return nil }
    let text = try value.string(names.section.name ?? "section", in: record)
    return text.isEmpty ? nil : text
  }
}
