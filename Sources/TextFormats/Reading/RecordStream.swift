/// Cuts a text that arrives in chunks into records and has a grammar read them.
///
/// Invariants:
/// - `carry` holds the bytes of a record that has begun and not ended, all of
///   which the grammar has seen; or, while opening, everything so far.
/// - `carry` never outgrows `recordBytesMax` by more than one byte.
///
/// Strategy: records that lie within a chunk are scanned where they are. Only
/// one that a chunk's end cuts in two is copied, and then continued in slices,
/// so that a long chunk is not copied for the sake of a short rest.
struct RecordStream<Grammar: RecordGrammar>: Sendable {
  private(set) var grammar: Grammar
  private(set) var summary = ReadSummary()
  private let recordBytesMax: Int
  private var carry: [UInt8] = []
  private var line = 1
  private var isOpening = true
  private var isBlank = true
  private var skipsLineFeed = false

  init(_ grammar: Grammar, recordBytesMax: Int) {
    precondition(recordBytesMax > 0, "a record needs room for at least one byte")
    self.grammar = grammar
    self.recordBytesMax = recordBytesMax
  }

  mutating func consume(
    _ bytes: UnsafeRawBufferPointer, _ body: (ItemEvent) throws -> Void
  ) throws {
    var chunk = bytes
    if isOpening {
      // The first bytes are judged together, or the verdict on a binary file
      // would depend on where the first chunk happens to end.
      let wanted = openingBytesMax - carry.count
      carry.append(contentsOf: chunk.prefix(wanted))
      guard chunk.count >= wanted else { return }
      chunk = UnsafeRawBufferPointer(rebasing: chunk[wanted...])
      try open(body)
    }
    try advance(chunk, body)
  }

  mutating func finish(_ body: (ItemEvent) throws -> Void) throws {
    if isOpening { try open(body) }
    let last = carry
    if !last.isEmpty {
      _ = try last.withUnsafeBytes { bytes in
        try settle(grammar.scanLast(bytes), of: bytes, body)
      }
      carry = []
    }
    if isBlank {
      throw FormatError(line: 1, code: .emptyInput, message: "the input is empty")
    }
  }

  // MARK: - Chunks

  private mutating func open(_ body: (ItemEvent) throws -> Void) throws {
    isOpening = false
    let opening = carry
    carry = []
    try opening.withUnsafeBytes { bytes in
      if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
        throw FormatError(
          line: 1, code: .notText, message: "the text is UTF-16; convert it to UTF-8")
      }
      if let offset = bytes.firstIndex(of: 0) {
        throw nulError(line: 1 + bytes[..<offset].count { $0 == UInt8(ascii: "\n") })
      }
      let markCount = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      try advance(UnsafeRawBufferPointer(rebasing: bytes[markCount...]), body)
    }
  }

  private mutating func advance(
    _ chunk: UnsafeRawBufferPointer, _ body: (ItemEvent) throws -> Void
  ) throws {
    var position = carry.isEmpty ? 0 : try completeCarriedRecord(from: chunk, body)
    while position < chunk.count {
      if skipsLineFeed {
        skipsLineFeed = false
        if chunk[position] == UInt8(ascii: "\n") {
          position += 1
          continue
        }
      }
      let rest = UnsafeRawBufferPointer(rebasing: chunk[position...])
      let length = try readRecord(startingAt: rest, body)
      guard length > 0 else {
        carry.append(contentsOf: rest)
        return
      }
      position += length
    }
  }

  /// Returns the number of bytes taken from the chunk: all of them if the record
  /// does not end in it.
  private mutating func completeCarriedRecord(
    from chunk: UnsafeRawBufferPointer, _ body: (ItemEvent) throws -> Void
  ) throws -> Int {
    var position = 0
    while position < chunk.count {
      let carriedCount = carry.count
      assert(carriedCount <= recordBytesMax)
      let slice = chunk[position...].prefix(min(carrySliceBytes, recordBytesMax + 1 - carriedCount))
      // Taken out while it is read, because reading it changes the stream.
      var record: [UInt8] = []
      swap(&record, &carry)
      record.append(contentsOf: slice)
      let length = try record.withUnsafeBytes { try readRecord(startingAt: $0, body) }
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
    startingAt bytes: UnsafeRawBufferPointer, _ body: (ItemEvent) throws -> Void
  ) throws -> Int {
    // No record is looked at beyond the limit, wherever chunks end.
    let window = UnsafeRawBufferPointer(rebasing: bytes.prefix(recordBytesMax + 1))
    return try settle(grammar.scan(window), of: window, body)
  }

  private mutating func settle(
    _ scan: RecordScan, of bytes: UnsafeRawBufferPointer, _ body: (ItemEvent) throws -> Void
  ) throws -> Int {
    switch scan {
    case .incomplete:
      guard bytes.count <= recordBytesMax else {
        throw FormatError(
          line: line, code: .recordTooLong,
          message: "the record is longer than \(recordBytesMax) bytes")
      }
      return 0
    case .complete(let length, let lineBreakCount, let endsInCarriageReturn):
      let record = UnsafeRawBufferPointer(rebasing: bytes[..<length])
      try checkText(record)
      let content = try grammar.read(record, line: line)
      line += 1 + lineBreakCount
      skipsLineFeed = endsInCarriageReturn
      try report(content, body)
      return length + 1
    case .broken(var error, let offset):
      // What comes first is reported first.
      try checkText(UnsafeRawBufferPointer(rebasing: bytes[..<offset]))
      error.line += line
      throw error
    }
  }

  private mutating func report(
    _ content: RecordContent, _ body: (ItemEvent) throws -> Void
  ) throws {
    guard case .item(let event) = content else {
      if case .kept = content { isBlank = false }
      return
    }
    isBlank = false
    switch event {
    case .record: summary.recordCount += 1
    case .problem: summary.problemCount += 1
    }
    try body(event)
  }

  private func checkText(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    guard let defect = firstTextDefect(in: bytes) else { return }
    let before = UnsafeRawBufferPointer(rebasing: bytes[..<defect.offset])
    let line = line + grammar.lineBreakCount(in: before)
    switch defect.kind {
    case .nul:
      throw nulError(line: line)
    case .invalidUTF8:
      throw FormatError(
        line: line, code: .invalidUTF8, message: "the bytes are not UTF-8; convert the text to it")
    }
  }

  private func nulError(line: Int) -> FormatError {
    FormatError(line: line, code: .notText, message: "the input is not text: it has a NUL byte")
  }
}

/// The number of bytes that are searched for NUL before the first record is read.
private let openingBytesMax = 512

/// The most bytes by which a carried record grows at a time.
private let carrySliceBytes = 4096
