/// Splits a text that arrives in chunks into records.
///
/// Invariants:
/// - `carry` holds the bytes of an incomplete record, all of which the scanner has read; or,
///   while opening, all bytes so far.
/// - `carry` never exceeds `recordBytesMax` by more than one byte.
///
/// Strategy: records within a chunk are scanned in place. Only a record split by the end of a
/// chunk is copied, and then continued in slices, so that a long chunk is not copied for a
/// short rest.
struct RecordStream: Sendable {
  /// Reads a complete record that is not blank.
  typealias Read = (TextRecord) throws -> Void

  private let format: TextFormat
  private let sniffs: Bool
  private let recordBytesMax: Int
  private var scanner: RecordScanner
  private var carry: [UInt8] = []
  private var line = 1
  private var isOpening = true
  private var isBlank = true
  private var skipsLineFeed = false
  /// The error that has ended the text.
  private var failure: FormatError?
  /// Whether the text has ended, or an error has been thrown.
  private var isOver = false

  /// - Parameter sniffs: Whether ``sniffedForm(of:_:)`` determines the form, or only the
  ///   format.
  init(_ format: TextFormat, recordBytesMax: Int, sniffs: Bool = false) {
    precondition(recordBytesMax > 0, "a record needs room for at least one byte")
    self.sniffs = sniffs
    self.format = format
    self.recordBytesMax = recordBytesMax
    scanner = RecordScanner(RecordForm(format))
  }

  /// Reads the records that end in the next bytes.
  ///
  /// - Throws: ``FormatError``, the same error if called again; or the errors of `read`.
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
    } catch let error as FormatError {
      failure = error
      throw error
    }
  }

  // MARK: - Chunks

  private mutating func take(_ bytes: UnsafeRawBufferPointer, _ read: Read) throws {
    var chunk = bytes
    if isOpening {
      // The first bytes are examined together; otherwise the detection of a binary file would
      // depend on the end of the first chunk.
      let wanted = openingBytesMax - carry.count
      carry.append(contentsOf: chunk.prefix(wanted))
      guard chunk.count >= wanted else { return }
      chunk = UnsafeRawBufferPointer(rebasing: chunk[wanted...])
      try open(read)
    }
    try advance(chunk, read)
  }

  private mutating func takeLast(_ read: Read) throws {
    if isOpening { try open(read) }
    let last = carry
    // An array may have no bytes left: it has an explicit end.
    if !last.isEmpty || scanner.form == .elements {
      _ = try last.withUnsafeBytes { try settle(scanner.scanLast($0), of: $0, read) }
      carry = []
    }
    if isBlank {
      throw FormatError(line: 1, code: .emptyInput, message: "the input is empty")
    }
  }

  private mutating func open(_ read: Read) throws {
    isOpening = false
    let opening = carry
    carry = []
    try opening.withUnsafeBytes { bytes in
      if let error = FormatError(of: bytes, insteadOf: format) { throw error }
      if let offset = bytes.firstIndex(of: 0) {
        throw nulError(line: 1 + bytes[..<offset].count { $0 == UInt8(ascii: "\n") })
      }
      var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      if sniffs {
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
    var position = carry.isEmpty ? 0 : try completeCarriedRecord(from: chunk, read)
    while position < chunk.count {
      if skipsLineFeed {
        skipsLineFeed = false
        if chunk[position] == UInt8(ascii: "\n") {
          position += 1
          continue
        }
      }
      let rest = UnsafeRawBufferPointer(rebasing: chunk[position...])
      let length = try readRecord(startingAt: rest, read)
      guard length > 0 else {
        carry.append(contentsOf: rest)
        return
      }
      position += length
    }
  }

  /// Returns the number of bytes consumed from the chunk: all of them if the record does not
  /// end in it.
  private mutating func completeCarriedRecord(
    from chunk: UnsafeRawBufferPointer, _ read: Read
  ) throws -> Int {
    var position = 0
    while position < chunk.count {
      let carriedCount = carry.count
      assert(carriedCount <= recordBytesMax)
      let slice = chunk[position...].prefix(min(carrySliceBytes, recordBytesMax + 1 - carriedCount))
      // Moved out while it is read, because reading it changes the stream.
      var record: [UInt8] = []
      swap(&record, &carry)
      record.append(contentsOf: slice)
      let length = try record.withUnsafeBytes { try readRecord(startingAt: $0, read) }
      swap(&record, &carry)
      if length > 0 {
        carry.removeAll(keepingCapacity: true)
        return position + length - carriedCount
      }
      position += slice.count
    }
    return position
  }

  // MARK: - Records

  /// Reads one record.
  ///
  /// - Returns: The length of the record and its line end; 0 if it is incomplete.
  private mutating func readRecord(
    startingAt bytes: UnsafeRawBufferPointer, _ read: Read
  ) throws -> Int {
    // No record is read beyond the limit, wherever chunks end.
    let window = UnsafeRawBufferPointer(rebasing: bytes.prefix(recordBytesMax + 1))
    return try settle(scanner.scan(window), of: window, read)
  }

  private mutating func settle(
    _ scan: RecordScan, of bytes: UnsafeRawBufferPointer, _ read: Read
  ) throws -> Int {
    switch scan {
    case .incomplete:
      guard bytes.count <= recordBytesMax else {
        throw FormatError(
          line: line, code: .recordTooLong,
          message: "the record is longer than \(recordBytesMax) bytes")
      }
      return 0
    case .complete(let length):
      let record = UnsafeRawBufferPointer(rebasing: bytes[..<length])
      try checkText(record)
      if !scanner.isBlank(record) {
        isBlank = false
        try read(
          TextRecord(
            bytes: UnsafeRawBufferPointer(rebasing: record[scanner.start...]),
            line: line + scanner.lineBreaksBeforeStart, fields: scanner.fields))
      }
      line += scanner.lineBreaksTaken
      // A carriage return may be followed by a line feed, which may not have arrived.
      skipsLineFeed = length < bytes.count && bytes[length] == UInt8(ascii: "\r")
      scanner.reset()
      return length + 1
    case .broken(var error, let offset):
      // The first problem is reported.
      try checkText(UnsafeRawBufferPointer(rebasing: bytes[..<offset]))
      error.line += line
      throw error
    }
  }

  private func checkText(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    guard let offset = offset(ofDefectIn: bytes) else { return }
    // The bytes before it are scanned again, to count the line ends within the record.
    var before = RecordScanner(scanner.form)
    _ = before.scan(UnsafeRawBufferPointer(rebasing: bytes[..<offset]))
    let line = line + before.lineBreakCount
    guard bytes[offset] != 0 else { throw nulError(line: line) }
    throw FormatError(
      line: line, code: .invalidUTF8, message: "the text is not UTF-8; convert it to UTF-8")
  }

  private func nulError(line: Int) -> FormatError {
    FormatError(line: line, code: .notText, message: "the input is not text: it has a NUL byte")
  }
}

/// The number of bytes searched for NUL before the first record is read.
private let openingBytesMax = 512

/// The maximum number of bytes by which a carried record grows at a time.
private let carrySliceBytes = 4096
