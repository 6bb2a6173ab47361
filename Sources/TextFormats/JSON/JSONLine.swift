/// Whether a line of NDJSON holds nothing but white space.
func isBlankLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
  var scanner = JSONScanner(bytes)
  scanner.skipSpace()
  return scanner.position == bytes.count
}

/// Passes a line of NDJSON and calls `body` with the name and the value of each member
/// of its object.
///
/// - Parameter bytes: The line without its end; UTF-8, not blank.
/// - Throws: `malformedJSON`, perhaps after calls of `body`; `notAnObject`.
@inline(__always)
func takeLineObject(
  in bytes: UnsafeRawBufferPointer, line: Int,
  _ body: (_ name: JSONToken, _ value: JSONToken) -> Void
) throws(RecordProblem) {
  var scanner = JSONScanner(bytes)
  let isObject: Bool
  do {
    scanner.skipSpace()
    isObject = scanner.byte == UInt8(ascii: "{")
    if isObject {
      try scanner.takeObject(body)
    } else {
      _ = try scanner.takeValue()
    }
    try scanner.takeEnd()
  } catch {
    throw RecordProblem(
      line: line, code: .malformedJSON,
      message: "the line is not JSON: byte \(error.offset + 1) should be \(error.expected)")
  }
  guard isObject else {
    throw RecordProblem(line: line, code: .notAnObject, message: "the line is not a JSON object")
  }
}
