/// Reads item records from a text that is pushed in chunks.
///
/// A chunk may end anywhere, within a record, an escape or a character: the events
/// are the same however a text is cut. Memory is bounded by the longest record,
/// not by the text.
///
/// ```swift
/// var reader = ItemReader(format: .csv)
/// var keys: [String] = []
/// func collect(_ event: ItemEvent) {
///   if case .record(let item) = event { keys.append(item.key) }
/// }
/// try reader.consume(Array("key,width,height\na,400,3".utf8), collect)
/// try reader.consume(Array("00\nb,400,n/a\n".utf8), collect)
/// let summary = try reader.finish(collect)
/// // keys == ["a"], summary.recordCount == 1, summary.problemCount == 1
/// ```
///
/// **CSV and TSV.** Delimiters and quotes are those of RFC 4180. A record ends at
/// LF, CRLF or CR; empty lines are ignored. The first record is the header. A row
/// may be shorter than the header if the wanted columns are there, but not longer.
/// A quote inside an unquoted field is an error; Python's `csv.reader`, even when
/// strict, takes it for text, and otherwise agrees with this reader.
///
/// **NDJSON.** A line ends at LF or CRLF; lines of spaces and tabs are ignored.
/// Each line is one object by the letter of RFC 8259, no more than 512 deep.
/// Unknown members are checked and ignored. Of members with the same name the last
/// one counts, as in JavaScript and Python; Foundation's `JSONDecoder` takes
/// the first. Lone surrogates are refused, because no string can hold them.
///
/// **Both.** A size is a number in JSON's notation; CSV and TSV allow spaces around
/// it. A span is such a number without a fraction. Keys are taken as they are.
///
/// The reader does not check ranges, uniqueness or lengths of keys.
package struct ItemReader: Sendable {
  private enum State: Sendable {
    case delimited(RecordStream<DelimitedGrammar>)
    case jsonLines(RecordStream<JSONLineGrammar>)
    case failed(FormatError)
    /// `finish` has returned, or the caller's closure has thrown.
    case over
  }

  private var state: State

  /// Creates a reader at the start of a text.
  ///
  /// - Parameters:
  ///   - format: The text's format.
  ///   - fields: Where an item's values are.
  ///   - recordBytesMax: The most UTF-8 bytes of one record, quotes and line
  ///     breaks in it included, the line end not.
  /// - Precondition: `recordBytesMax` is positive.
  package init(
    format: TextFormat, fields: FieldNames = FieldNames(), recordBytesMax: Int = 1 << 20
  ) {
    if let delimiter = format.delimiter {
      let grammar = DelimitedGrammar(delimiter: delimiter, fields: fields)
      state = .delimited(RecordStream(grammar, recordBytesMax: recordBytesMax))
    } else {
      let grammar = JSONLineGrammar(fields: fields)
      state = .jsonLines(RecordStream(grammar, recordBytesMax: recordBytesMax))
    }
  }

  /// Reads the next bytes of the text.
  ///
  /// - Parameters:
  ///   - bytes: Any number of bytes; they are not referred to after the call.
  ///   - body: Called for each record that ends in these bytes, in order. The
  ///     first 512 bytes of a text are read when they are complete.
  /// - Throws: ``FormatError``, after the events of all records before it; the
  ///   same one again if called again. Or what `body` throws; the reader is then
  ///   of no further use.
  /// - Precondition: Neither has `finish` returned nor has `body` thrown.
  /// - Complexity: O(*n*) in the number of bytes, for chunks of any size.
  package mutating func consume(
    _ bytes: UnsafeRawBufferPointer, _ body: (ItemEvent) throws -> Void
  ) throws {
    var next = State.over
    swap(&next, &state)
    do {
      switch next {
      case .delimited(var stream):
        next = .over
        try stream.consume(bytes, body)
        state = .delimited(stream)
      case .jsonLines(var stream):
        next = .over
        try stream.consume(bytes, body)
        state = .jsonLines(stream)
      case .failed(let error): throw error
      case .over: preconditionFailure("the reader is finished or its closure has thrown")
      }
    } catch let error as FormatError {
      state = .failed(error)
      throw error
    }
  }

  /// Reads the next bytes of the text.
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
    let last = state
    state = .over
    do {
      switch last {
      case .delimited(var stream):
        try stream.finish(body)
        return stream.summary
      case .jsonLines(var stream):
        try stream.finish(body)
        return stream.summary
      case .failed(let error): throw error
      case .over: preconditionFailure("the reader is finished or its closure has thrown")
      }
    } catch let error as FormatError {
      state = .failed(error)
      throw error
    }
  }
}
