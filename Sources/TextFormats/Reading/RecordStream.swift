/// Splits a text that arrives in chunks into records.
///
/// Invariants:
/// - `carry` holds the bytes of an incomplete record, all of which the scanner has read; or,
///   while opening, all bytes so far.
/// - `carry` never exceeds `recordBytesMax` by more than one byte.
///
/// Strategy: records within a chunk are scanned in place. Only a record split by the end of a chunk
/// is copied, and then continued in slices, so that a long chunk is not copied for a short rest. A
/// row with misplaced quotes has no end: ``Recovery`` finds where the next row begins, in the bytes
/// from the faulty row's start. The rest of a row that is too long is passed on in pieces.
struct RecordStream: Sendable {
  /// Reads a complete record that is not blank, or a part of one that is too long.
  typealias Read = (TextRecord) throws -> Void

  private let format: TextFormat
  private let sniffs: Bool
  private let shape: TextShape
  private let recordBytesMax: Int
  private var scanner: RecordScanner
  private var prelude: Prelude?
  private var carry: [UInt8] = []
  private var line = 1
  /// The number of bytes before the current record.
  private var offset = 0
  private var isOpening = true
  private var isBlank = true
  private var skipsLineFeed = false
  /// The search for the row after one with misplaced quotes.
  private var recovery: Recovery?
  /// No row with the header's number of fields starts before this offset and after a faulty one.
  private var searchedUpTo = 0
  /// Whether the rest of a record that is too long is being skipped.
  private var isSkipping = false
  private var hasEnded = false
  /// The error that has ended the text.
  private var failure: ImportError?
  /// Whether the text has ended, or an error has been thrown.
  private var isOver = false

  /// - Parameter sniffs: Whether ``sniffedForm(of:_:)`` determines the form, or only the format.
  init(
    _ format: TextFormat, recordBytesMax: Int, sniffs: Bool = false, shape: TextShape = TextShape()
  ) {
    precondition(recordBytesMax > 0, "a record needs room for at least one byte")
    (self.sniffs, self.format, self.shape) = (sniffs, format, shape)
    self.recordBytesMax = recordBytesMax
    scanner = RecordScanner(RecordForm(format))
    prelude = Prelude(shape, format)
  }

  /// The separation of the records, as far as the text tells.
  var form: RecordForm { scanner.form }

  /// Reads the records that end in the next bytes.
  ///
  /// - Throws: ``ImportError``, the same error if called again; or the errors of `read`.
  /// - Precondition: Neither has `finish` returned nor has `read` thrown.
  mutating func consume(_ bytes: UnsafeRawBufferPointer, _ read: Read) throws {
    try step { stream in try stream.take(bytes, read) }
    isOver = false
  }

  /// Reads the record completed by the text's end.
  ///
  /// - Throws: As ``consume(_:_:)``; `emptyInput` if no record was read.
  mutating func finish(_ read: Read) throws {
    try step { stream in try stream.takeLast(read) }
  }

  private mutating func step(_ body: (inout RecordStream) throws -> Void) throws {
    if let failure { throw failure }
    precondition(!isOver, "the reader is finished or its closure has thrown")
    isOver = true
    do {
      try body(&self)
    } catch let error as ImportError {
      failure = error
      throw error
    }
  }

  // MARK: - Chunks

  private mutating func take(_ bytes: UnsafeRawBufferPointer, _ read: Read) throws {
    var chunk = bytes
    if var prelude {
      let length = try prelude.skip(chunk)
      self.prelude = prelude.isComplete ? nil : prelude
      chunk = UnsafeRawBufferPointer(rebasing: chunk[length...])
      guard self.prelude == nil else { return }
      line = prelude.line
      // The array that was found has no opening left.
      if shape.items != nil { try open(read) }
    }
    if isOpening {
      // The first bytes are examined together; otherwise the form would depend on the end of
      // the first chunk.
      let wanted = openingBytesMax - carry.count
      carry.append(contentsOf: chunk.prefix(wanted))
      guard chunk.count >= wanted else { return }
      chunk = UnsafeRawBufferPointer(rebasing: chunk[wanted...])
      try open(read)
    }
    try advance(chunk, read)
  }

  private mutating func takeLast(_ read: Read) throws {
    if let prelude { try prelude.requireComplete() }
    if isOpening { try open(read) }
    hasEnded = true
    let last = carry
    carry = []
    try last.withUnsafeBytes { bytes in
      var position = 0
      // An array may have no bytes left: it has an explicit end.
      if bytes.isEmpty, scanner.form == .elements || isSkipping {
        position = try readRecord(startingAt: bytes, read)
      }
      _ = try readRecords(in: bytes, from: position, upTo: bytes.count, read)
    }
    if isSkipping { try pass(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, read) }
    if isBlank { throw ImportError(line: 1, code: .emptyInput, message: "the input is empty") }
  }

  private mutating func open(_ read: Read) throws {
    isOpening = false
    let opening = carry
    carry = []
    try opening.withUnsafeBytes { bytes in
      if let error = ImportError(of: bytes, insteadOf: format) { throw error }
      var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      if shape.items != nil {
        scanner = RecordScanner(.elements, endsWithText: false)
        isBlank = false
      } else if sniffs {
        let text = UnsafeRawBufferPointer(rebasing: bytes[start...])
        let (form, offset, lineBreaks) = sniffedForm(of: format, text)
        scanner = RecordScanner(form)
        start += offset
        line += lineBreaks
        if form == .elements { isBlank = false }
      }
      try advance(UnsafeRawBufferPointer(rebasing: bytes[start...]), read)
    }
  }

  private mutating func advance(_ chunk: UnsafeRawBufferPointer, _ read: Read) throws {
    var position = 0
    while !carry.isEmpty, position < chunk.count {
      let carriedCount = carry.count
      assert(carriedCount <= recordBytesMax)
      let slice = chunk[position...].prefix(min(carrySliceBytes, recordBytesMax + 1 - carriedCount))
      // Moved out while it is read, because reading it changes the stream.
      var record: [UInt8] = []
      swap(&record, &carry)
      record.append(contentsOf: slice)
      let end = try record.withUnsafeBytes {
        try readRecords(in: $0, from: 0, upTo: carriedCount, read)
      }
      if end >= carriedCount {
        position += end - carriedCount
        record.removeAll(keepingCapacity: true)
      } else {
        position += slice.count
        // The rest of a record, or the rows after a faulty one.
        if end > 0 { record.removeFirst(end) }
      }
      carry = record
    }
    let end = try readRecords(in: chunk, from: position, upTo: chunk.count, read)
    if end < chunk.count { carry.append(contentsOf: chunk[end...]) }
  }

  // MARK: - Records

  /// Reads the complete records that start before a limit.
  ///
  /// - Returns: The offset of the record that is incomplete, or at or after the limit.
  private mutating func readRecords(
    in bytes: UnsafeRawBufferPointer, from start: Int, upTo limit: Int, _ read: Read
  ) throws -> Int {
    var position = start
    while position < limit {
      if skipsLineFeed {
        skipsLineFeed = false
        if bytes[position] == UInt8(ascii: "\n") {
          position += 1
          offset += 1
          continue
        }
      }
      let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
      let length = try readRecord(startingAt: rest, read)
      guard length > 0 else { return position }
      position += length
      offset += length
    }
    return position
  }

  /// Reads one record.
  ///
  /// - Returns: The length of the record and its line end; 0 if it is incomplete.
  private mutating func readRecord(
    startingAt bytes: UnsafeRawBufferPointer, _ read: Read
  ) throws -> Int {
    if isSkipping { return try skip(bytes, read) }
    // No record is read beyond the limit, wherever chunks end.
    let window = UnsafeRawBufferPointer(rebasing: bytes.prefix(recordBytesMax + 1))
    if recovery != nil { return try recover(in: window, read) }
    var scan = scanner.scan(window)
    if case .incomplete = scan {
      if window.count > recordBytesMax { return try readTooLong(window, read) }
      guard hasEnded else { return 0 }
      scan = scanner.scanLast(window)
    }
    switch scan {
    case .incomplete: return 0
    case .complete(let length):
      let record = UnsafeRawBufferPointer(rebasing: window[..<length])
      if !scanner.isBlank(record) {
        isBlank = false
        let fault = RecordFault(ofTextIn: record, scanner.fields, line)
        if let fault { try requireHeader(fault) }
        if scanner.columnCount == nil { scanner.columnCount = scanner.fields.count }
        try read(
          TextRecord(
            bytes: UnsafeRawBufferPointer(rebasing: record[scanner.start...]),
            line: line + scanner.lineBreaksBeforeStart, fields: scanner.fields, fault: fault))
      }
      line += scanner.lineBreaksTaken
      endRecord(at: length, of: window)
      return length + 1
    case .broken(var error, let offset):
      error.line += line
      if scanner.form == .elements { throw error }
      return try readMisplacedQuote(error, at: offset, window, read)
    }
  }

  private mutating func endRecord(at length: Int, of bytes: UnsafeRawBufferPointer) {
    // A carriage return may be followed by a line feed, which may not have arrived.
    skipsLineFeed = length < bytes.count && bytes[length] == UInt8(ascii: "\r")
    scanner.reset()
  }

  // MARK: - Faulty records

  /// Throws the fault of a header: without it, the rows have no meaning.
  private func requireHeader(_ fault: RecordFault) throws {
    if case .fields = scanner.form, scanner.columnCount == nil, shape.hasHeader {
      throw fault.error
    }
  }

  private mutating func readTooLong(
    _ window: UnsafeRawBufferPointer, _ read: Read
  ) throws -> Int {
    let error = ImportError(
      line: line, code: .recordTooLong,
      message: "the record is longer than \(recordBytesMax) bytes")
    if scanner.isInQuotes { return try readMisplacedQuote(error, at: window.count, window, read) }
    let fault = RecordFault(error, offset: window.count, column: scanner.fields.count)
    try requireHeader(fault)
    isBlank = false
    isSkipping = true
    try read(
      TextRecord(
        bytes: UnsafeRawBufferPointer(rebasing: window[scanner.start...]),
        line: line + scanner.lineBreaksBeforeStart, fault: fault, isContinued: true))
    scanner.drop(window.count)
    return window.count
  }

  private mutating func readMisplacedQuote(
    _ error: ImportError, at offset: Int, _ window: UnsafeRawBufferPointer, _ read: Read
  ) throws -> Int {
    // The first problem is reported.
    let fault =
      RecordFault(
        ofTextIn: UnsafeRawBufferPointer(rebasing: window[..<offset]), scanner.fields, line)
      ?? RecordFault(error, offset: offset, column: scanner.fields.count)
    try requireHeader(fault)
    isBlank = false
    recovery = Recovery(fault: fault, form: scanner.form, columnCount: scanner.columnCount)
    return try recover(in: window, read)
  }

  /// Continues the search for the row after a faulty one.
  private mutating func recover(
    in window: UnsafeRawBufferPointer, _ read: Read
  ) throws -> Int {
    guard var search = recovery else { return 0 }
    let isLast = hasEnded || window.count > recordBytesMax
    let end = search.end(
      in: window, isLast: isLast, isWhole: hasEnded && window.count <= recordBytesMax,
      from: searchedUpTo - offset)
    guard isLast || end != nil else {
      recovery = search
      return 0
    }
    recovery = nil
    if !search.hasMatch { searchedUpTo = offset + search.searchedCount }
    // Without a line end, the row continues beyond the limit.
    let length = end ?? window.count
    isSkipping = end == nil && window.count > recordBytesMax
    let bytes = UnsafeRawBufferPointer(rebasing: window[..<length])
    try read(TextRecord(bytes: bytes, line: line, fault: search.fault, isContinued: isSkipping))
    if isSkipping {
      scanner.reset()
      return length
    }
    line += lineBreakCount(in: bytes) + 1
    endRecord(at: length, of: window)
    return length + 1
  }

  /// Passes on the next part of a record that is too long.
  private mutating func skip(_ bytes: UnsafeRawBufferPointer, _ read: Read) throws -> Int {
    var end: Int?
    switch scanner.form {
    case .lines: end = bytes.firstIndex(of: UInt8(ascii: "\n"))
    case .fields:
      end = bytes.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    case .elements:
      switch hasEnded && bytes.isEmpty ? scanner.scanLast(bytes) : scanner.scan(bytes) {
      case .incomplete: scanner.drop(bytes.count)
      case .complete(let length): end = length
      case .broken(var error, _):
        error.line += line
        throw error
      }
    }
    guard let end else {
      try pass(bytes, isLast: false, read)
      return bytes.count
    }
    try pass(UnsafeRawBufferPointer(rebasing: bytes[..<end]), isLast: true, read)
    line += scanner.lineBreaksTaken
    endRecord(at: end, of: bytes)
    return end + 1
  }

  private mutating func pass(
    _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ read: Read
  ) throws {
    isSkipping = !isLast
    try read(TextRecord(bytes: bytes, line: line, isContinued: !isLast, isContinuation: true))
  }
}

/// The number of bytes examined before the first record is read.
private let openingBytesMax = 512

/// The maximum number of bytes by which a carried record grows at a time.
private let carrySliceBytes = 4096

/// Returns the number of line ends: LF, CRLF or CR.
func lineBreakCount(in bytes: UnsafeRawBufferPointer) -> Int {
  var (count, last) = (0, UInt8(0))
  for byte in bytes {
    if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") && last != UInt8(ascii: "\r") {
      count += 1
    }
    last = byte
  }
  return count
}
