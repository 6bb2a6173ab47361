/// The result of reading one record.
package enum ItemEvent: Hashable, Sendable {
  /// A valid item.
  case record(ItemRecord)
  /// An invalid record. The records after it are not affected.
  case invalid(InvalidRecord)
}

/// The counts of an ``ItemReader``.
///
/// Both counts are 0 for CSV and TSV that consist only of a header.
package struct ReadSummary: Hashable, Sendable {
  /// The number of valid items.
  package internal(set) var recordCount = 0
  /// The number of invalid records.
  package internal(set) var problemCount = 0
}

/// Parses item records from text that arrives in chunks.
///
/// A chunk may end anywhere, within a record, an escape or a character: the events do not
/// depend on how the text is split. Memory is bounded by the longest record, not by the text.
///
/// ```swift
/// var reader = ItemReader(format: .csv)
/// var keys: [String] = []
/// func collect(_ event: ItemEvent) {
///   if case .record(let item) = event { keys.append(item.key) }
/// } try reader.consume(Array("key,width,height\na,400,3".utf8), collect) try
/// reader.consume(Array("00\nb,400,n/a\n".utf8), collect) let summary = try reader.finish(collect)
/// // keys == ["a"], summary.recordCount == 1, summary.problemCount == 1
/// ```
///
/// **CSV and TSV.** Delimiters and quotes are those of RFC 4180. A record ends at LF, CRLF or CR;
/// empty lines are ignored. The first record is the header, unless the shape has none. A row may be
/// shorter than the header if the required columns are present, but not longer, except for a
/// separator at its end. A quote inside an unquoted field is a fault; Python's `csv.reader`, even
/// when strict, treats it as text, and otherwise agrees with this reader. In TSV a quote is text,
/// unless it opens a field that a quote closes before the next tab or the end of the line.
///
/// **NDJSON.** A line ends at LF or CRLF; lines of spaces and tabs are ignored. Each line is
/// one object, strictly by RFC 8259, at most 512 levels deep. Unknown members are validated and
/// ignored. Of duplicate members the last is used, as in JavaScript and Python; Foundation's
/// `JSONDecoder` uses the first. Lone surrogates are rejected, because no string can represent
/// them.
///
/// **Faults.** A row with a NUL byte, bytes other than UTF-8, a misplaced quote or too many bytes
/// is an invalid record; reading continues after it (``Recovery``). In a header they are errors.
///
/// **Sniffing**, if requested, recognizes `;` or tabs instead of CSV's commas, by the header;
/// and one JSON array instead of lines, whose elements are parsed one by one.
///
/// **Both.** A size is a number in JSON's notation; CSV and TSV allow spaces around it. A span
/// is such a number without a fraction. Keys are verbatim; in NDJSON those of items and
/// sections may also be integers, whose text as written is the key.
///
/// The reader does not check ranges, uniqueness or lengths of keys.
package struct ItemReader: Sendable {
  private var stream: RecordStream
  private var grammar: ItemGrammar

  /// Creates a reader at the start of a text.
  ///
  /// - Parameters:
  ///   - format: The text's format.
  ///   - fields: The names of the fields with an item's values.
  ///   - shape: The separation of the rows, and the notation of numbers.
  ///   - sniffs: Whether the text's first bytes may determine how records are separated.
  ///   - recordBytesMax: The maximum number of UTF-8 bytes of one record, including quotes and
  ///     line breaks in it, but not the line end.
  /// - Precondition: `recordBytesMax` is positive.
  package init(
    format: TextFormat, fields: FieldNames = FieldNames(), shape: TextShape = TextShape(),
    sniffs: Bool = false, recordBytesMax: Int = 1 << 20
  ) {
    stream = RecordStream(format, recordBytesMax: recordBytesMax, sniffs: sniffs, shape: shape)
    grammar = ItemGrammar(format, fields, shape)
  }

  /// Parses the next bytes of the text.
  ///
  /// - Parameters:
  ///   - bytes: Any number of bytes; they are not referenced after the call.
  ///   - body: Called for each record that ends in these bytes, in order. The first 512 bytes
  ///     of a text are parsed once they are complete.
  /// - Throws: ``ImportError``, after the events of all records before it; the same error if
  ///   called again. Also the errors of `body`; the reader must then no longer be used.
  /// - Precondition: Neither has `finish` returned nor has `body` thrown.
  /// - Complexity: O(*n*) in the number of bytes, for chunks of any size.
  package mutating func consume(
    _ bytes: UnsafeRawBufferPointer, _ body: (ItemEvent) throws -> Void
  ) throws {
    try consumeRecords(bytes) { event, _, _ in if let event { try body(event) } }
  }

  /// Receives an event with the verbatim bytes of the record, which are valid during the call,
  /// and whether they are its last ones. The header, and the later parts of a record that is too
  /// long, have no event.
  typealias RecordBody = (ItemEvent?, UnsafeRawBufferPointer, _ isEnd: Bool) throws -> Void

  /// Like ``consume(_:_:)-(UnsafeRawBufferPointer,_)``, with the bytes of each record.
  mutating func consumeRecords(_ bytes: UnsafeRawBufferPointer, _ body: RecordBody) throws {
    try stream.consume(bytes) { try grammar.read($0, body) }
  }

  /// Like ``finish(_:)``, with the bytes of each record.
  mutating func finishRecords(_ body: RecordBody) throws -> ReadSummary {
    try stream.finish { try grammar.read($0, body) }
    return grammar.summary
  }

  /// Parses the next bytes of the text.
  ///
  /// The same as ``consume(_:_:)-(UnsafeRawBufferPointer,_)`` with bytes in an array.
  package mutating func consume(
    _ bytes: [UInt8], _ body: (ItemEvent) throws -> Void
  ) throws {
    try bytes.withUnsafeBytes { try consume($0, body) }
  }

  /// Ends the text, with or without a line end after the last record.
  ///
  /// - Parameter body: Called for the records that were not complete before.
  /// - Returns: The number of records and problems in the whole text.
  /// - Throws: As ``consume(_:_:)-(UnsafeRawBufferPointer,_)``; in particular
  ///   `emptyInput` if the text has neither a record nor a header.
  /// - Precondition: Neither has `finish` returned nor has `body` thrown.
  @discardableResult
  package mutating func finish(_ body: (ItemEvent) throws -> Void) throws -> ReadSummary {
    try finishRecords { event, _, _ in if let event { try body(event) } }
  }
}

/// The conversion of a format's records to items.
private struct ItemGrammar: Sendable {
  private(set) var summary = ReadSummary()
  private let format: TextFormat
  private let names: FieldNames
  private let shape: TextShape
  private let members: ItemMembers
  /// `nil` until the header of CSV or TSV has been read.
  private var columns: DelimitedColumns?

  init(_ format: TextFormat, _ names: FieldNames, _ shape: TextShape) {
    (self.format, self.names, self.shape) = (format, names, shape)
    members = ItemMembers(names, shape)
  }

  mutating func read(_ record: TextRecord, _ body: ItemReader.RecordBody) throws {
    let isEnd = !record.isContinued
    if record.isContinuation { return try body(nil, record.bytes, isEnd) }
    if let fault = record.fault {
      // Without an object at its start, the text is another kind of file.
      let isFirst = format == .ndjson && summary.recordCount + summary.problemCount == 0
      if isFirst, record.bytes.first != UInt8(ascii: "{") { throw fault.error }
      summary.problemCount += 1
      let problem = fault.problem(line: record.line, header: columns?.header ?? [])
      return try body(.invalid(InvalidRecord(problems: [problem])), record.bytes, isEnd)
    }
    if format != .ndjson, columns == nil {
      columns = try DelimitedColumns(header: record, names, shape)
      if shape.hasHeader { return try body(nil, record.bytes, isEnd) }
    }
    var problems: [RecordProblem] = []
    let item = item(in: record, &problems)
    if let item, problems.isEmpty {
      summary.recordCount += 1
      try body(.record(item), record.bytes, isEnd)
    } else {
      summary.problemCount += 1
      try body(.invalid(InvalidRecord(problems: problems, readable: item)), record.bytes, isEnd)
    }
  }

  /// - Returns: `nil` if the record as a whole is invalid.
  private func item(in record: TextRecord, _ problems: inout [RecordProblem]) -> ItemRecord? {
    let number = summary.recordCount + summary.problemCount + 1
    do throws(RecordProblem) {
      if let columns { return try columns.item(in: record, number: number, names, &problems) }
      return try members.item(in: record, number: number, &problems)
    } catch {
      problems = [error]
      return nil
    }
  }
}
