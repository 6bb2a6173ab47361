import JSONText

extension TextRecord {
  /// Calls `body` with the name and the value of each member of a line that is one
  /// object.
  ///
  /// - Throws: `malformedJSON`, perhaps after calls of `body`; `notAnObject`.
  @inline(__always)
  func forEachMember(
    _ body: (_ name: JSONToken, _ value: JSONToken) -> Void
  ) throws(RecordProblem) {
    var scanner = JSONScanner(bytes)
    let isObject: Bool
    do {
      isObject = try scanner.takeText(body)
    } catch {
      throw problem(
        .malformedJSON,
        "the line is not JSON: byte \(error.offset + 1) should be \(error.expected)")
    }
    guard isObject else { throw problem(.notAnObject, "the line is not a JSON object") }
  }
}

extension JSONToken {
  /// The bytes of the value; for a string those between the quotes.
  @inline(__always)
  func content(in record: TextRecord) -> UnsafeRawBufferPointer { content(in: record.bytes) }

  /// The value as it is written, a string's quotes included.
  func json(in record: TextRecord) -> String {
    String(decoding: record.bytes[start..<end], as: UTF8.self)
  }

  /// The text of a string.
  func text(in record: TextRecord) -> String { text(in: record.bytes) }

  /// Whether a string's text has these bytes, where `==` on strings would equate
  /// canonical equivalents.
  @inline(__always)
  func spells(_ utf8: some Collection<UInt8>, in record: TextRecord) -> Bool {
    if hasEscapes { return text(in: record).utf8.elementsEqual(utf8) }
    let content = content(in: record)
    // Inlined, unlike `elementsEqual`, which each member of each line would call.
    return content.count == utf8.count && zip(content, utf8).allSatisfy(==)
  }
}
