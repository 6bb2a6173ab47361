/// The deepest nesting of arrays and objects, the outermost included. It is that
/// of Foundation's decoder.
let jsonDepthMax = 512

/// Checks a JSON text from start to end and finds its values.
///
/// Invariant: nothing is accepted that RFC 8259 does not allow, also inside values
/// that nobody wants, except that lone surrogates are refused and nesting is
/// limited. Nesting is kept in an array, not on the call stack, so that no input
/// can overflow the latter.
///
/// Source: RFC 8259, sections 2 to 7.
struct JSONScanner {
  private let record: TextRecord
  private var position = 0
  /// For each container that is open around the position, whether it is an object.
  private var nesting: [Bool] = []

  init(_ record: TextRecord) {
    self.record = record
  }

  /// Passes a line that is one object, and calls `body` with the name and the value of
  /// each member.
  ///
  /// - Throws: `malformedJSON`, perhaps after calls of `body`; `notAnObject`.
  @inline(__always)
  mutating func takeLine(
    _ body: (_ name: JSONToken, _ value: JSONToken) -> Void
  ) throws(RecordProblem) {
    skipSpace()
    let isObject = byte == UInt8(ascii: "{")
    if isObject { try takeContainer(body) } else { _ = try takeValue() }
    skipSpace()
    guard position == bytes.count else { throw syntaxError("the end of the line") }
    guard isObject else { throw record.problem(.notAnObject, "the line is not a JSON object") }
  }

  /// Passes an object or array, and calls `body` with each value in it, and with the
  /// name that the value has in an object.
  @inline(__always)
  mutating func takeContainer(
    _ body: (_ name: JSONToken, _ value: JSONToken) -> Void
  ) throws(RecordProblem) {
    let isObject = byte == UInt8(ascii: "{")
    let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    position += 1
    skipSpace()
    if take(end) { return }
    while true {
      let name = isObject ? try takeMemberName() : JSONToken()
      body(name, try takeValue())
      skipSpace()
      if take(end) { return }
      guard take(UInt8(ascii: ",")) else { throw syntaxError("a comma or a closing brace") }
      skipSpace()
    }
  }

  // MARK: - Bytes

  private var bytes: UnsafeRawBufferPointer {
    @inline(__always) get { record.bytes }
  }

  /// The byte at the position; 0, which no JSON text holds, at the end.
  private var byte: UInt8 {
    @inline(__always) get { position < bytes.count ? bytes[position] : 0 }
  }

  /// Passes spaces, tabs and line ends.
  @inline(__always)
  private mutating func skipSpace() {
    while isJSONSpace(byte) { position += 1 }
  }

  /// Passes a byte if it is next.
  @inline(__always)
  private mutating func take(_ expected: UInt8) -> Bool {
    guard byte == expected else { return false }
    position += 1
    return true
  }

  /// - Parameters:
  ///   - expected: What should stand in place of the first byte that cannot stand there.
  ///   - offset: That byte's; nil for the position.
  private func syntaxError(_ expected: StaticString, at offset: Int? = nil) -> RecordProblem {
    record.problem(
      .malformedJSON,
      "the line is not JSON: byte \((offset ?? position) + 1) should be \(expected)")
  }

  // MARK: - Values

  /// Passes one value of any kind.
  private mutating func takeValue() throws(RecordProblem) -> JSONToken {
    let start = position
    switch byte {
    case UInt8(ascii: "\""):
      return try takeString()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return try takeNumber()
    case UInt8(ascii: "{"):
      try skipContainer()
      return JSONToken(kind: .object, start: start, end: position)
    case UInt8(ascii: "["):
      try skipContainer()
      return JSONToken(kind: .array, start: start, end: position)
    case UInt8(ascii: "t"): try takeLiteral("true")
    case UInt8(ascii: "f"): try takeLiteral("false")
    case UInt8(ascii: "n"):
      try takeLiteral("null")
      return JSONToken(kind: .null, start: start, end: position)
    default: throw syntaxError("a value")
    }
    return JSONToken(kind: .boolean, start: start, end: position)
  }

  /// Passes a string.
  private mutating func takeString() throws(RecordProblem) -> JSONToken {
    let start = position
    guard take(UInt8(ascii: "\"")) else { throw syntaxError("a double quote") }
    var hasEscapes = false
    while true {
      let byte = byte
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        try takeEscape()
      } else {
        guard byte >= 0x20 else {
          throw syntaxError(
            position == bytes.count ? "a closing double quote" : "an escaped control character")
        }
        position += 1
      }
    }
    position += 1
    return JSONToken(kind: .string, start: start, end: position, hasEscapes: hasEscapes)
  }

  private mutating func takeEscape() throws(RecordProblem) {
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      guard let unit = hexadecimalUnit(in: bytes, at: position + 1) else {
        throw syntaxError("four hexadecimal digits")
      }
      position += 5
      guard UTF16.isSurrogate(unit) else { return }
      guard UTF16.isLeadSurrogate(unit), position + 1 < bytes.count,
        bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u"),
        let low = hexadecimalUnit(in: bytes, at: position + 2), UTF16.isTrailSurrogate(low)
      else { throw syntaxError("a pair of surrogates") }
      position += 6
    default: throw syntaxError("a valid escape")
    }
  }

  private mutating func takeNumber() throws(RecordProblem) -> JSONToken {
    let start = position
    while isNumberByte(byte) { position += 1 }
    let text = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    guard DecimalText(text) != nil else {
      throw syntaxError("a number", at: start)
    }
    return JSONToken(kind: .number, start: start, end: position)
  }

  private mutating func takeLiteral(_ literal: StaticString) throws(RecordProblem) {
    let start = position
    let length = literal.utf8CodeUnitCount
    let literalBytes = UnsafeRawBufferPointer(start: literal.utf8Start, count: length)
    guard bytes[start...].prefix(length).elementsEqual(literalBytes) else {
      throw syntaxError("a value", at: start)
    }
    position += length
  }

  // MARK: - Nesting

  /// Passes an array or object that stands within another.
  private mutating func skipContainer() throws(RecordProblem) {
    nesting.removeAll(keepingCapacity: true)
    repeat {
      // At the start of a value, or of a container's first value.
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        if try openContainer() { continue }
      } else {
        _ = try takeValue()
      }
      try closeContainers()
    } while !nesting.isEmpty
  }

  /// Returns whether the container has a first value, which is then next.
  private mutating func openContainer() throws(RecordProblem) -> Bool {
    let isObject = byte == UInt8(ascii: "{")
    // The line's object is around all of them.
    guard nesting.count + 1 < jsonDepthMax else { throw syntaxError("less nesting") }
    position += 1
    skipSpace()
    if take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return false }
    nesting.append(isObject)
    if isObject { try takeMemberName() }
    return true
  }

  /// After a value: passes the ends of containers up to the next value, if any.
  private mutating func closeContainers() throws(RecordProblem) {
    while let isObject = nesting.last {
      skipSpace()
      if take(UInt8(ascii: ",")) {
        skipSpace()
        if isObject { try takeMemberName() }
        return
      }
      guard take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
        throw syntaxError("a comma or a closing bracket")
      }
      nesting.removeLast()
    }
  }

  /// Passes a member up to its value.
  @inline(__always)
  @discardableResult
  private mutating func takeMemberName() throws(RecordProblem) -> JSONToken {
    let name = try takeString()
    skipSpace()
    guard take(UInt8(ascii: ":")) else { throw syntaxError("a colon") }
    skipSpace()
    return name
  }
}

/// Whether a byte is white space between two tokens.
@inline(__always)
func isJSONSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
}

/// Whether a byte can be part of a number, in whatever order.
@inline(__always)
private func isNumberByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
    UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
    true
  default: false
  }
}
