/// How a format divides a text into records, and what a record says.
///
/// A ``RecordStream`` owns the bytes. For each record it calls `scan` one or more
/// times with ever more bytes, all starting at the record's first byte, until
/// the answer is not `incomplete`; or, if the text ends first, `scanLast` once.
/// A complete record is then passed to `read`.
///
/// Law: the answers depend on the bytes only, never on how many calls it took to
/// show them.
protocol RecordGrammar: Sendable {
  /// Looks for the end of the record on from where the last call stopped.
  mutating func scan(_ bytes: UnsafeRawBufferPointer) -> RecordScan

  /// Ends the record at the end of the text. `scan` has seen all its bytes.
  mutating func scanLast(_ bytes: UnsafeRawBufferPointer) -> RecordScan

  /// Returns what a complete record says, and makes ready for the next one.
  ///
  /// - Parameters:
  ///   - bytes: The record without the line end; UTF-8 without NUL.
  ///   - line: The line on which it starts.
  /// - Throws: If nothing after this record can be read either.
  mutating func read(
    _ bytes: UnsafeRawBufferPointer, line: Int
  ) throws(FormatError) -> RecordContent

  /// The number of line ends in part of a record.
  func lineBreakCount(in bytes: UnsafeRawBufferPointer) -> Int
}

/// How far a record reaches.
enum RecordScan {
  /// Beyond the bytes there are.
  case incomplete
  /// Over `length` bytes, followed by a one-byte line end unless the text ends.
  /// After a `carriageReturn` a line feed belongs to the line end too.
  case complete(length: Int, lineBreakCount: Int, endsInCarriageReturn: Bool)
  /// Nobody knows: the byte at `offset` cannot stand there. The error's line is
  /// counted from the record's own, which is 0.
  case broken(FormatError, offset: Int)
}

/// What a record says.
enum RecordContent {
  case blank
  /// Something that the grammar keeps: a header, an operation of a batch.
  case kept
  case item(ItemEvent)
}
