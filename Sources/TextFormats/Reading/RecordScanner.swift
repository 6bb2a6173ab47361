/// Finds the fields and the end of one CSV or TSV record.
///
/// A state machine with a byte of look-behind, so that it can stop after any byte
/// and go on when more bytes of the record have arrived.
///
/// Source: RFC 4180, section 2, read as Python's `_csv.c` does with `strict`, and
/// stricter in one point: a quote may not stand within an unquoted field.
struct DelimitedScanner {
  private enum State {
    case fieldStart
    case unquoted
    case quoted
    /// After a quote in a quoted field: its end, or the first of a pair.
    case quoteInQuoted
  }

  /// The fields that are complete, in order. None for an empty line.
  private(set) var fields: [DelimitedField] = []
  private let delimiter: UInt8
  private var state = State.fieldStart
  private var position = 0
  private var field = DelimitedField()
  private var lineBreakCount = 0
  /// The value of `lineBreakCount` where the current quoted field starts.
  private var fieldLine = 0

  init(delimiter: UInt8) {
    // The fast path over unquoted text relies on it.
    precondition(delimiter <= UInt8(ascii: ","))
    self.delimiter = delimiter
  }

  /// Makes ready for the next record.
  mutating func reset() {
    fields.removeAll(keepingCapacity: true)
    state = .fieldStart
    position = 0
    lineBreakCount = 0
  }

  mutating func scan(_ bytes: UnsafeRawBufferPointer) -> RecordScan {
    let count = bytes.count
    while position < count {
      let byte = bytes[position]
      switch state {
      case .fieldStart:
        field = DelimitedField(start: position, end: position)
        if byte == quote {
          state = .quoted
          field.isQuoted = true
          fieldLine = lineBreakCount
          position += 1
        } else {
          state = .unquoted
        }
      case .unquoted:
        if byte == delimiter {
          endField(at: position)
          position += 1
        } else if isLineEnd(byte) {
          if position > 0 { endField(at: position) }
          return complete(length: position, byte)
        } else if byte == quote {
          return broken(
            .strayQuote, lineBreakCount,
            "a quote stands within an unquoted field; quote the field and double the quote")
        } else {
          position += 1
          // Letters and digits lie above every byte that means something.
          while position < count, bytes[position] > UInt8(ascii: ",") { position += 1 }
        }
      case .quoted:
        if byte == quote {
          state = .quoteInQuoted
        } else if isLineEnd(byte), !(byte == lineFeed && bytes[position - 1] == carriageReturn) {
          lineBreakCount += 1
        }
        position += 1
      case .quoteInQuoted:
        if byte == quote {
          state = .quoted
          field.hasDoubledQuotes = true
          position += 1
        } else if byte == delimiter {
          endField(at: position)
          position += 1
        } else if isLineEnd(byte) {
          endField(at: position)
          return complete(length: position, byte)
        } else {
          return broken(
            .textAfterQuote, fieldLine,
            "text follows the closing quote of a field; double the quotes within it")
        }
      }
    }
    return .incomplete
  }

  mutating func scanLast(_ bytes: UnsafeRawBufferPointer) -> RecordScan {
    assert(position == bytes.count)
    if state == .quoted {
      return broken(.unterminatedQuote, fieldLine, "the quote that opens a field is never closed")
    }
    if state == .fieldStart { field = DelimitedField(start: position, end: position) }
    endField(at: position)
    return .complete(
      length: position, lineBreakCount: lineBreakCount, endsInCarriageReturn: false)
  }

  private mutating func endField(at end: Int) {
    field.end = end
    fields.append(field)
    state = .fieldStart
  }

  private func complete(length: Int, _ lineEnd: UInt8) -> RecordScan {
    .complete(
      length: length, lineBreakCount: lineBreakCount,
      endsInCarriageReturn: lineEnd == carriageReturn)
  }

  private func broken(_ code: FormatError.Code, _ line: Int, _ message: String) -> RecordScan {
    .broken(FormatError(line: line, code: code, message: message), offset: position)
  }
}

private let quote = UInt8(ascii: "\"")
private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")

@inline(__always)
private func isLineEnd(_ byte: UInt8) -> Bool {
  byte == lineFeed || byte == carriageReturn
}
