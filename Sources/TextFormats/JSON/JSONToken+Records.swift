import JSONText

extension TextRecord {
  /// Calls `body` with the name and the value of each member of a line that is one object.
  ///
  /// - Throws: `malformedJSON`, possibly after calls of `body`; `notAnObject`.
  @inline(__always)
  func forEachMember(
    _ body: (_ name: JSONToken, _ value: JSONToken) -> Void
  ) throws(RecordProblem) {
    var scanner = JSONScanner(bytes)
    let isObject: Bool
    do {
      isObject = try scanner.takeText(body)
    } catch {
      // The first line of an object that has several.
      let isCut = !isBody && error.offset >= bytes.count && bytes.first == UInt8(ascii: "{")
      throw problem(
        .malformedJSON,
        "\(subject) is not JSON: expected \(error.expected) at byte \(error.offset + 1)"
          + (isCut ? "; write each object on one line" : ""))
    }
    guard isObject else { throw problem(.notAnObject, "\(subject) is not a JSON object") }
  }

  private var subject: String { isBody ? "the body" : "the line" }

  /// Replaces a value that the object lacks by the member of a member: `image.width`.
  func find(_ path: [UInt8]?, _ value: inout JSONToken) {
    guard let path, value.kind == .absent, let point = path.firstIndex(of: UInt8(ascii: "."))
    else { return }
    var object = JSONToken()
    // A line that is not an object has no members.
    try? forEachMember { name, value in
      if name.spells(path[..<point], in: self) { object = value }
    }
    guard object.kind == .object else { return }
    let inner = TextRecord(
      bytes: UnsafeRawBufferPointer(rebasing: bytes[object.start..<object.end]), line: line)
    let rest = Array(path[(point + 1)...])
    try? inner.forEachMember { name, member in
      if name.spells(rest, in: inner) { value = member }
    }
    if value.kind == .absent { return inner.find(rest, &value, from: object.start) }
    (value.start, value.end) = (value.start + object.start, value.end + object.start)
  }

  private func find(_ path: [UInt8], _ value: inout JSONToken, from offset: Int) {
    find(path, &value)
    (value.start, value.end) = (value.start + offset, value.end + offset)
  }
}

extension JSONToken {
  /// Returns the bytes of the value; for a string those between the quotes.
  @inline(__always)
  func content(in record: TextRecord) -> UnsafeRawBufferPointer { content(in: record.bytes) }

  /// Returns the value as written, including a string's quotes.
  func json(in record: TextRecord) -> String {
    String(decoding: record.bytes[start..<end], as: UTF8.self)
  }

  func text(in record: TextRecord) -> String { text(in: record.bytes) }

  /// Returns whether a string's text has these bytes; `==` on strings would equate canonical
  /// equivalents.
  @inline(__always)
  func spells(_ utf8: some Collection<UInt8>, in record: TextRecord) -> Bool {
    if hasEscapes { return text(in: record).utf8.elementsEqual(utf8) }
    let content = content(in: record)
    // Inlined, unlike `elementsEqual`, which would be called for each member of each line.
    return content.count == utf8.count && zip(content, utf8).allSatisfy(==)
  }
}
