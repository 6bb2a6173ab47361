/// The maximum nesting of arrays and objects, the outermost included. The same as that of
/// Foundation's decoder.
package let jsonDepthMax = 512

/// The position where a text stops being JSON.
package struct JSONSyntaxError: Error {
  /// The offset of the first invalid byte; the text's length if it ends too early.
  package let offset: Int
  /// The expected token, such as "a comma".
  package let expected: StaticString
}

/// Validates a JSON text from start to end and finds its values.
///
/// Invariant: it accepts only text that RFC 8259 allows, also inside values that the caller
/// skips, except that lone surrogates are rejected and nesting is limited. Nesting is recorded
/// in an array, not on the call stack, so that no input can overflow the latter.
///
/// Source: RFC 8259, sections 2 to 7.
package struct JSONScanner {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  @usableFromInline var position = 0
  /// For each open container around the position, whether it is an object.
  private var nesting: [Bool] = []

  /// Creates a scanner before a text's first byte. The text is UTF-8 without NUL, and outlives
  /// the scanner.
  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Consumes a whole text, and calls `body` with the name and the value of each member if it
  /// is an object.
  ///
  /// - Returns: Whether it is an object.
  /// - Throws: ``JSONSyntaxError``, possibly after calls of `body`.
  @inlinable
  @inline(__always)
  package mutating func takeText(
    _ body: (_ name: JSONToken, _ value: JSONToken) -> Void
  ) throws(JSONSyntaxError) -> Bool {
    skipSpace()
    let isObject = byte == UInt8(ascii: "{")
    if isObject { try takeContainer(body) } else { _ = try takeValue() }
    try takeEnd()
    return isObject
  }

  /// Consumes the white space after a text's value, up to the end.
  @usableFromInline
  package mutating func takeEnd() throws(JSONSyntaxError) {
    skipSpace()
    guard position == bytes.count else { throw syntaxError("the end") }
  }

  /// Consumes an object or array, and calls `body` with each value in it, and with its name if
  /// it is in an object.
  @inlinable
  @inline(__always)
  package mutating func takeContainer(
    _ body: (_ name: JSONToken, _ value: JSONToken) -> Void
  ) throws(JSONSyntaxError) {
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

  /// The byte at the position; 0 at the end, because no JSON text contains it.
  @inlinable
  var byte: UInt8 { @inline(__always) get { position < bytes.count ? bytes[position] : 0 } }

  /// Consumes spaces, tabs and line ends.
  @inlinable
  @inline(__always)
  package mutating func skipSpace() {
    while isJSONSpace(byte) { position += 1 }
  }

  /// Consumes a byte if it is next.
  @inlinable
  @inline(__always)
  mutating func take(_ expected: UInt8) -> Bool {
    guard byte == expected else { return false }
    position += 1
    return true
  }

  /// - Parameters:
  ///   - expected: The token expected instead of the first invalid byte.
  ///   - offset: The offset of that byte; `nil` for the position.
  @usableFromInline
  func syntaxError(_ expected: StaticString, at offset: Int? = nil) -> JSONSyntaxError {
    JSONSyntaxError(offset: offset ?? position, expected: expected)
  }

  // MARK: - Values

  /// Consumes one value of any kind.
  @usableFromInline
  mutating func takeValue() throws(JSONSyntaxError) -> JSONToken {
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

  /// Consumes a string.
  private mutating func takeString() throws(JSONSyntaxError) -> JSONToken {
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

  private mutating func takeEscape() throws(JSONSyntaxError) {
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

  private mutating func takeNumber() throws(JSONSyntaxError) -> JSONToken {
    let start = position
    while isNumberByte(byte) { position += 1 }
    let text = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    guard DecimalText(text) != nil else { throw syntaxError("a number", at: start) }
    return JSONToken(kind: .number, start: start, end: position)
  }

  private mutating func takeLiteral(_ literal: StaticString) throws(JSONSyntaxError) {
    let start = position
    let length = literal.utf8CodeUnitCount
    let literalBytes = UnsafeRawBufferPointer(start: literal.utf8Start, count: length)
    guard bytes[start...].prefix(length).elementsEqual(literalBytes) else {
      throw syntaxError("a value", at: start)
    }
    position += length
  }

  // MARK: - Nesting

  /// Consumes an array or object within another one.
  private mutating func skipContainer() throws(JSONSyntaxError) {
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
  private mutating func openContainer() throws(JSONSyntaxError) -> Bool {
    let isObject = byte == UInt8(ascii: "{")
    // The line's object encloses all of them.
    guard nesting.count + 1 < jsonDepthMax else { throw syntaxError("less nesting") }
    position += 1
    skipSpace()
    if take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return false }
    nesting.append(isObject)
    if isObject { try takeMemberName() }
    return true
  }

  /// After a value: consumes the ends of containers up to the next value, if any.
  private mutating func closeContainers() throws(JSONSyntaxError) {
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

  /// Consumes a member up to its value.
  @discardableResult
  @usableFromInline
  mutating func takeMemberName() throws(JSONSyntaxError) -> JSONToken {
    let name = try takeString()
    skipSpace()
    guard take(UInt8(ascii: ":")) else { throw syntaxError("a colon") }
    skipSpace()
    return name
  }
}

/// Returns whether a byte is white space between two tokens.
@inlinable
@inline(__always)
package func isJSONSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
}

/// Returns whether a byte can be part of a number, in any order.
@inline(__always)
private func isNumberByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
    UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
    true
  default: false
  }
}
