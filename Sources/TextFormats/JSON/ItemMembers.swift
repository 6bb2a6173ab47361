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
      width: try size(values.width, names.width, bytes, line),
      height: try size(values.height, names.height, bytes, line),
      section: try section(values.section, bytes, line),
      span: try span(values.span, bytes, line), line: line)
  }

  // MARK: - Syntax

  private func values(
    in bytes: UnsafeRawBufferPointer, line: Int
  ) throws(RecordProblem) -> Values {
    var scanner = JSONScanner(bytes)
    do {
      scanner.skipSpace()
      if scanner.byte == UInt8(ascii: "{") { return try object(&scanner) }
      _ = try scanner.takeValue()
      try scanner.takeEnd()
    } catch {
      throw RecordProblem(
        line: line, code: .malformedJSON,
        message: "the line is not JSON: byte \(error.offset + 1) should be \(error.expected)")
    }
    throw RecordProblem(line: line, code: .notAnObject, message: "the line is not a JSON object")
  }

  private func object(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> Values {
    var values = Values()
    _ = scanner.take(UInt8(ascii: "{"))
    scanner.skipSpace()
    if !scanner.take(UInt8(ascii: "}")) {
      while true {
        let name = try scanner.takeString()
        scanner.skipSpace()
        guard scanner.take(UInt8(ascii: ":")) else { throw scanner.syntaxError("a colon") }
        scanner.skipSpace()
        store(try scanner.takeValue(), as: name, in: scanner.bytes, &values)
        scanner.skipSpace()
        if scanner.take(UInt8(ascii: ",")) {
          scanner.skipSpace()
          continue
        }
        guard scanner.take(UInt8(ascii: "}")) else {
          throw scanner.syntaxError("a comma or a closing brace")
        }
        break
      }
    }
    try scanner.takeEnd()
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
    switch value.kind {
    case .absent: throw .missing(names.key, line: line)
    case .string: break
    default: throw .notAString(names.key, value.content(in: bytes), line: line)
    }
    let text = value.text(in: bytes)
    guard !text.isEmpty else { throw .empty(names.key, line: line) }
    return text
  }

  private func size(
    _ value: JSONToken, _ name: String, _ bytes: UnsafeRawBufferPointer, _ line: Int
  ) throws(RecordProblem) -> Double {
    let content = value.content(in: bytes)
    switch value.kind {
    case .absent: throw .missing(name, line: line)
    case .number: break
    default: throw .number(.notANumber, name, content, line: line)
    }
    do {
      return try parseDouble(content)
    } catch {
      throw .number(error, name, content, line: line)
    }
  }

  private func section(
    _ value: JSONToken, _ bytes: UnsafeRawBufferPointer, _ line: Int
  ) throws(RecordProblem) -> String? {
    switch value.kind {
    case .absent, .null: return nil
    case .string:
      let text = value.text(in: bytes)
      return text.isEmpty ? nil : text
    default:
      throw .notAString(names.section.name ?? "section", value.content(in: bytes), line: line)
    }
  }

  private func span(
    _ value: JSONToken, _ bytes: UnsafeRawBufferPointer, _ line: Int
  ) throws(RecordProblem) -> Int? {
    let name = names.span.name ?? "span"
    let content = value.content(in: bytes)
    switch value.kind {
    case .absent, .null: return nil
    case .number: break
    default: throw .number(.notAnInteger, name, content, line: line)
    }
    do {
      return try parseInteger(content)
    } catch {
      throw .number(error, name, content, line: line)
    }
  }
}
