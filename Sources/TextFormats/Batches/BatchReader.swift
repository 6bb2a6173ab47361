package import LayoutCache

/// An operation of a batch, and where it stands.
package struct BatchRecord: Hashable, Sendable {
  /// The operation, its keys, sizes and inserted items held to `Limits`.
  package var operation: BatchOperation
  /// The line, counted from 1.
  package var line: Int
}

/// Reads a batch of operations from NDJSON that is pushed in chunks: an operation a
/// line, the whole text one batch.
///
/// A chunk may end anywhere, within a line, an escape or a character: the result is
/// the same however a text is cut. There is no limit on a line's length or the
/// number of lines; the memory taken is that of the batch.
///
/// ```swift
/// var reader = BatchReader()
/// try reader.consume(Array(#"{"op":"delete","keys":["a"#.utf8))
/// try reader.consume(Array("\",\"b\"]}\n".utf8))
/// let batch = try reader.finish()
/// // batch == [BatchRecord(operation: .delete(keys: ["a", "b"]), line: 1)]
/// ```
///
/// A line ends at LF or CRLF; lines of spaces and tabs are ignored. Each line is one
/// object by the letter of RFC 8259 that states one operation:
///
/// | `op` | members |
/// | --- | --- |
/// | `insert` | `items`; a destination |
/// | `delete` | `keys`; perhaps `missing` |
/// | `upsert` | `items`, `section`; perhaps `move` |
/// | `move` | `key`; a destination |
/// | `resize` | `key`, `width`, `height`; perhaps `span` |
/// | `prefer` | `layout`, `length`, which may be null; `key` and perhaps `crossLength`, or a section in `header` or `footer` |
/// | `prefer` | `layout`, `lengths`: arrays of a key, a length or null, and perhaps one across; perhaps `missing` |
/// | `prefer` | `layout`, `everything`, which is null |
/// | `data` | `key`, `data`, an object or null |
/// | `insertSection` | `key`; perhaps `index` |
/// | `deleteSection` | `key`; perhaps `missing` |
/// | `moveSection` | `key`, `index` |
/// | `invalidate` | `layout`; perhaps `items`, `sections`, `everything` |
/// | `match` | `sections`, each with `key` and `items`; perhaps `missing` |
/// | `mark` | `source`, `position`; perhaps `after`, a position or null |
///
/// A destination is one of `section`, `before` and `after`; an `index` goes with
/// `section` only, and without it the section's end is meant. Each of `items` has `key`,
/// `width`, `height` and perhaps `span` and `data`. An index or a span is
/// a whole number, however it is written; in items a span may be null, which is as good as
/// none, and so may data, which take back what an upserted item has. `missing` is `fail` or
/// `ignore`; of a match `remove` or `keep`.
///
/// A key of an item or a section may be written as a whole number without a fraction or an
/// exponent; its text, as it is written, is the key.
///
/// Where an item reader lets things pass, a batch is refused, because a misspelt
/// member that is ignored would change the wrong thing: members that an operation
/// does not have, and members that occur twice.
///
/// Keys, names, sizes, preferred lengths, data and all of an inserted item are held to
/// `Limits`. What the rest is good for depends on a dataset, and is not looked at:
/// indices, whether keys name something, spans of items that are there.
package struct BatchReader: Sendable {
  // One less than the greatest number, because the stream looks a byte beyond.
  private var stream = RecordStream(.ndjson, recordBytesMax: .max - 1)
  private var records: [BatchRecord] = []

  /// Creates a reader at the start of a text.
  package init() {}

  /// Reads the next bytes of the text.
  ///
  /// - Parameter bytes: Any number of bytes; they are not referred to after the call.
  /// - Throws: ``FormatError`` for a text that cannot be read, ``RecordProblem`` for a
  ///   line that states no operation; whichever comes first. The reader is then of no
  ///   further use.
  /// - Precondition: Neither has `finish` returned nor has an error been thrown.
  /// - Complexity: O(*n*) in the number of bytes, for chunks of any size.
  package mutating func consume(_ bytes: UnsafeRawBufferPointer) throws {
    try stream.consume(bytes) { try records.append(Self.record($0, number: records.count + 1)) }
  }

  /// Reads the next bytes of the text.
  ///
  /// The same as ``consume(_:)-(UnsafeRawBufferPointer)`` with bytes in an array.
  package mutating func consume(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try consume($0) }
  }

  /// Ends the text, with or without a line end after the last operation.
  ///
  /// - Returns: The operations in order; at least one.
  /// - Throws: As ``consume(_:)-(UnsafeRawBufferPointer)``; in particular
  ///   `emptyInput` if the text has no operation.
  /// - Precondition: Neither has `finish` returned nor has an error been thrown.
  package mutating func finish() throws -> [BatchRecord] {
    try stream.finish { try records.append(Self.record($0, number: records.count + 1)) }
    return records
  }

  private static func record(
    _ line: TextRecord, number: Int
  ) throws(RecordProblem) -> BatchRecord {
    let object = try BatchObject(line, number: number)
    return BatchRecord(operation: try OperationForm.operation(of: object), line: line.line)
  }
}
