import JSONText

/// Finds the ends of the elements of a JSON array, after its opening bracket: a record extends
/// to the next comma or the closing bracket.
///
/// It only counts brackets and skips strings. Whether an element is valid JSON is checked when
/// it is parsed.
struct ElementScanner {
  /// The start of the element; `nil` before it.
  private(set) var start: Int?
  /// The number of line ends passed, and of those before the element.
  private(set) var lineBreakCount = 0
  private(set) var lineBreaksBeforeStart = 0
  private var position = 0
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var lastByte: UInt8 = 0
  private var elementCount = 0
  /// Whether the array's closing bracket has been passed.
  private var isClosed = false
  /// Whether only white space may follow the array.
  private let endsWithText: Bool

  init(endsWithText: Bool) { self.endsWithText = endsWithText }

  /// Forgets the first bytes of the element, which the next scan does not see again.
  mutating func drop(_ count: Int) { (position, start) = (position - count, 0) }

  /// Prepares for the next element.
  mutating func reset() {
    var next = ElementScanner(endsWithText: endsWithText)
    next.elementCount = elementCount
    next.isClosed = isClosed
    self = next
  }

  /// Searches for the end of the element, from where the last call stopped.
  mutating func scan(_ bytes: UnsafeRawBufferPointer) -> RecordScan {
    while position < bytes.count {
      let byte = bytes[position]
      if isClosed {
        if !endsWithText { return .complete(length: bytes.count - 1) }
        guard isJSONSpace(byte) else { return broken("text after the end of the array") }
        // A blank record, which includes the one byte after it.
        if byte == UInt8(ascii: "\n") { lineBreakCount = 1 }
        return .complete(length: position)
      }
      let last = lastByte
      lastByte = byte
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        position += 1
        continue
      }
      switch byte {
      case UInt8(ascii: "\n") where last == UInt8(ascii: "\r"): break
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): lineBreakCount += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"): break
      case UInt8(ascii: ",") where depth == 0, UInt8(ascii: "]") where depth == 0:
        return endElement(by: byte)
      default: pass(byte)
      }
      position += 1
    }
    return .incomplete
  }

  /// Ends the text, in which the array must have ended before.
  func scanLast(_ bytes: UnsafeRawBufferPointer) -> RecordScan {
    isClosed
      ? .complete(length: bytes.count) : broken("the array that opens the text is not closed")
  }

  private mutating func pass(_ byte: UInt8) {
    if start == nil {
      start = position
      lineBreaksBeforeStart = lineBreakCount
    }
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    // An extra bracket is invalid JSON, which is detected when the element is parsed.
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(0, depth - 1)
    default: break
    }
  }

  private mutating func endElement(by byte: UInt8) -> RecordScan {
    let endsArray = byte == UInt8(ascii: "]")
    guard start != nil || (endsArray && elementCount == 0) else {
      return broken("an element is missing before or after a comma")
    }
    elementCount += 1
    isClosed = endsArray
    return .complete(length: position)
  }

  private func broken(_ message: String) -> RecordScan {
    .broken(
      ImportError(line: lineBreakCount, code: .malformedArray, message: message), offset: position)
  }
}
