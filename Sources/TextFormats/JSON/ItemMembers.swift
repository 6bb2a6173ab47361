/// Finds the members of one NDJSON line that make up an item.
struct ItemMembers {
  private let names: FieldNames
  private let key: MemberName
  private let width: MemberName
  private let height: MemberName
  private let section: MemberName?
  private let span: MemberName?

  init(_ fields: FieldNames) {
    names = fields
    key = MemberName(fields.key)
    width = MemberName(fields.width)
    height = MemberName(fields.height)
    section = fields.section.name.map(MemberName.init)
    span = fields.span.name.map(MemberName.init)
  }

  /// The values of the wanted members.
  private struct Values {
    var key = JSONToken()
    var width = JSONToken()
    var height = JSONToken()
    var section = JSONToken()
    var span = JSONToken()
  }

  /// Returns the item that a line states.
  ///
  /// - Parameter bytes: The line without its end; UTF-8, not blank.
  /// - Throws: The first problem, in the order line, key, width, height, section,
  ///   span.
  func item(
    in bytes: UnsafeRawBufferPointer, line: Int
  ) throws(RecordProblem) -> ItemRecord {
    let values = try values(in: bytes, line: line)
    return ItemRecord(
      key: try key(values.key, bytes, line),
      width: try values.width.double(names.width, in: bytes, line: line),
      height: try values.height.double(names.height, in: bytes, line: line),
      section: try section(values.section, bytes, line),
      span: try span(values.span, bytes, line), line: line)
  }

  // MARK: - Syntax

  private func values(
    in bytes: UnsafeRawBufferPointer, line: Int
  ) throws(RecordProblem) -> Values {
    var values = Values()
    try takeLineObject(in: bytes, line: line) { name, value in
      store(value, as: name, in: bytes, &values)
    }
    return values
  }

  /// Keeps a value if it is wanted, in place of an earlier one.
  private func store(
    _ value: JSONToken, as name: JSONToken, in line: UnsafeRawBufferPointer, _ values: inout Values
  ) {
    guard !name.hasEscapes else {
      var text = name.text(in: line)
      text.withUTF8 { store(value, as: UnsafeRawBufferPointer($0), &values) }
      return
    }
    store(value, as: name.content(in: line), &values)
  }

  @inline(__always)
  private func store(
    _ value: JSONToken, as name: UnsafeRawBufferPointer, _ values: inout Values
  ) {
    let packed = MemberName.pack(name)
    // No `else`: two fields may share a member.
    if key.matches(name, packedBytes: packed) { values.key = value }
    if width.matches(name, packedBytes: packed) { values.width = value }
    if height.matches(name, packedBytes: packed) { values.height = value }
    if let section, section.matches(name, packedBytes: packed) { values.section = value }
    if let span, span.matches(name, packedBytes: packed) { values.span = value }
  }

  // MARK: - Values

  private func key(
    _ value: JSONToken, _ bytes: UnsafeRawBufferPointer, _ line: Int
  ) throws(RecordProblem) -> String {
    let text = try value.string(names.key, in: bytes, line: line)
    guard !text.isEmpty else { throw .empty(names.key, line: line) }
    return text
  }

  private func section(
    _ value: JSONToken, _ bytes: UnsafeRawBufferPointer, _ line: Int
  ) throws(RecordProblem) -> String? {
    if value.kind == .absent || value.kind == .null { return nil }
    let text = try value.string(names.section.name ?? "section", in: bytes, line: line)
    return text.isEmpty ? nil : text
  }

  private func span(
    _ value: JSONToken, _ bytes: UnsafeRawBufferPointer, _ line: Int
  ) throws(RecordProblem) -> Int? {
    if value.kind == .absent || value.kind == .null { return nil }
    return try value.integer(names.span.name ?? "span", in: bytes, line: line)
  }
}
