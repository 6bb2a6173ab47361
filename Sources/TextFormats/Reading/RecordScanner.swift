import JSONText

/// The extent of a record.
enum RecordScan {
  /// The record extends beyond the available bytes.
  case incomplete
  /// The record has `length` bytes, followed by a line end or the end of the text.
  case complete(length: Int)
  /// The extent is unknown: the byte at `offset` is invalid. The error's line is relative to
  /// the record's line, which is 0.
  case broken(ImportError, offset: Int)
}

/// The separation of a text's records.
enum RecordForm: Equatable {
  /// Each record is a line.
  case lines
  /// Rows of fields with a delimiter between them: CSV and TSV.
  case fields(delimiter: UInt8)
  /// The elements of one JSON array.
  case elements

  init(_ format: TextFormat) {
    self = format.delimiter.map { .fields(delimiter: $0) } ?? .lines
  }
}

/// Finds the end of one record, and the fields of a CSV or TSV record.
///
/// For each record ``scan(_:)`` is called one or more times with more and more bytes, all
/// starting at the record's first byte, until the result is not `incomplete`; or, if the text
/// ends first, ``scanLast(_:)`` once. Then ``reset()`` prepares for the next record.
///
/// Law: the results depend only on the bytes, not on the number of calls.
///
/// A record of NDJSON is a line; that of a JSON array is found by ``ElementScanner``. One of
/// CSV or TSV is read by a state machine with one byte of look-behind, so that it can stop
/// after any byte and continue when more bytes of the record have arrived.
///
/// Source: RFC 4180, section 2, as read by Python's `_csv.c` with `strict`, and stricter in one
/// point: a quote may not be within an unquoted field. With tabs, a quote is text, unless it opens
/// a field that a quote closes right before a tab or a line end of the same line.
struct RecordScanner {
  private enum State {
    case fieldStart
    case unquoted
    case quoted
    /// After a quote in a quoted field: its end, or the first of a pair.
    case quoteInQuoted
  }

  /// The complete fields, in order. Empty for an empty line, and for NDJSON.
  private(set) var fields: [DelimitedField] = []
  /// The number of line ends within the scanned part of the record.
  private(set) var lineBreakCount = 0
  /// The start of the record after white space; nonzero only in a JSON array.
  var start: Int { form == .elements ? elements.start ?? 0 : 0 }
  /// The number of line ends before the start.
  var lineBreaksBeforeStart: Int { form == .elements ? elements.lineBreaksBeforeStart : 0 }
  /// The number of line ends consumed by a complete record, including its line end.
  var lineBreaksTaken: Int { form == .elements ? lineBreakCount : lineBreakCount + 1 }
  let form: RecordForm
  /// The number of fields of the first row; `nil` before it.
  var columnCount: Int?
  /// Whether the scanned part ends within quotes.
  var isInQuotes: Bool { state == .quoted }
  private var elements: ElementScanner
  private let delimiter: UInt8
  /// No greater byte is special within a field.
  private let meaningMax: UInt8
  private var state = State.fieldStart
  private var position = 0
  private var field = DelimitedField()
  /// The value of `lineBreakCount` at the start of the current quoted field.
  private var fieldLine = 0

  /// - Parameter endsWithText: Whether nothing may follow an array of elements.
  init(_ form: RecordForm, endsWithText: Bool = true) {
    self.form = form
    elements = ElementScanner(endsWithText: endsWithText)
    if case .fields(let delimiter) = form { self.delimiter = delimiter } else { delimiter = 0 }
    meaningMax = max(delimiter, UInt8(ascii: ","))
  }

  /// Returns whether a complete record is blank.
  func isBlank(_ record: UnsafeRawBufferPointer) -> Bool {
    switch form {
    case .lines: record.allSatisfy(isJSONSpace)
    case .fields: fields.isEmpty
    case .elements: elements.start == nil
    }
  }

  /// Prepares for the next record.
  mutating func reset() {
    fields.removeAll(keepingCapacity: true)
    state = .fieldStart
    position = 0
    lineBreakCount = 0
    elements.reset()
  }

  /// Forgets the first bytes of the record, which the next scan does not see again.
  mutating func drop(_ count: Int) {
    position = 0
    elements.drop(count)
  }

  /// Searches for the end of the record, from where the last call stopped.
  mutating func scan(_ bytes: UnsafeRawBufferPointer) -> RecordScan {
    switch form {
    case .fields: return scanFields(bytes, delimiter)
    case .elements:
      defer { lineBreakCount = elements.lineBreakCount }
      return elements.scan(bytes)
    case .lines:
      position = offset(ofLineFeedIn: bytes, from: position)
      return position < bytes.count ? .complete(length: position) : .incomplete
    }
  }

  /// Ends the record at the end of the text. `scan` has read all its bytes.
  mutating func scanLast(_ bytes: UnsafeRawBufferPointer) -> RecordScan {
    switch form {
    case .lines: return .complete(length: position)
    case .elements: return elements.scanLast(bytes)
    case .fields: break
    }
    assert(position == bytes.count)
    while isTabbed, state == .quoted {
      readAsText()
      _ = scanFields(bytes, delimiter)
    }
    if state == .quoted {
      return broken(.unterminatedQuote, fieldLine, "the quote that opens a field is never closed")
    }
    if state == .fieldStart { field = DelimitedField(start: position, end: position) }
    endField(at: position)
    return .complete(length: position)
  }

  private mutating func scanFields(
    _ bytes: UnsafeRawBufferPointer, _ delimiter: UInt8
  ) -> RecordScan {
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
          return .complete(length: position)
        } else if byte == quote, !isTabbed {
          return broken(
            .strayQuote, lineBreakCount,
            "an unquoted field contains a quote; quote the field and double the quote")
        } else {
          position += 1
          // Letters are above every special byte, and usually digits, too.
          while position < count, bytes[position] > meaningMax { position += 1 }
        }
      case .quoted:
        if byte == quote {
          state = .quoteInQuoted
        } else if isTabbed, isLineEnd(byte) {
          readAsText()
          continue
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
          return .complete(length: position)
        } else if isTabbed {
          readAsText()
        } else {
          return broken(
            .textAfterQuote, fieldLine,
            "text after the closing quote of a field; double the quotes within the field")
        }
      }
    }
    return .incomplete
  }

  private var isTabbed: Bool { delimiter == UInt8(ascii: "\t") }

  /// Goes back to a field's first quote, which is text.
  private mutating func readAsText() {
    position = field.start
    field = DelimitedField(start: position, end: position)
    state = .unquoted
  }

  private mutating func endField(at end: Int) {
    field.end = end
    fields.append(field)
    state = .fieldStart
  }

  private func broken(_ code: ImportError.Code, _ line: Int, _ message: String) -> RecordScan {
    .broken(ImportError(line: line, code: code, message: message), offset: position)
  }
}

private let quote = UInt8(ascii: "\"")
private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")

@inline(__always)
private func isLineEnd(_ byte: UInt8) -> Bool {
  byte == lineFeed || byte == carriageReturn
}

/// Returns the offset of the first line feed at or after an offset, eight bytes at a time; the
/// number of bytes if there is none.
///
/// Source: the zero-byte test in "Hacker's Delight", section 6-1, applied to the bytes after
/// exclusive or with line feeds.
private func offset(ofLineFeedIn bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
  let lineFeeds: UInt64 = 0x0A0A_0A0A_0A0A_0A0A
  let highBits: UInt64 = 0x8080_8080_8080_8080
  let lowBits: UInt64 = 0x0101_0101_0101_0101
  var offset = start
  while offset + 8 <= bytes.count {
    let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ lineFeeds
    if (word &- lowBits) & ~word & highBits != 0 { break }
    offset += 8
  }
  while offset < bytes.count, bytes[offset] != lineFeed { offset += 1 }
  return offset
}
