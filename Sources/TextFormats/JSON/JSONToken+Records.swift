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
      let isCut = error.offset >= bytes.count && bytes.first == UInt8(ascii: "{")
      throw problem(
        .malformedJSON,
        "the line is not JSON: expected \(error.expected) at byte \(error.offset + 1)"
          + (isCut ? "; write each object on one line" : ""))
    }
    guard isObject else { throw problem(.notAnObject, "the line is not a JSON object") }
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

  /// Returns the text of a string.
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
