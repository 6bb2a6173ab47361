package import LayoutCache

/// An operation of a batch, with its position in the text.
package struct BatchRecord: Hashable, Sendable {
  /// The operation; its keys, sizes and inserted items are checked against `Limits`.
  package var operation: BatchOperation
  /// The line, counted from 1.
  package var line: Int
}

/// Parses a batch of operations from NDJSON that arrives in chunks: one operation per line; the
/// whole text is one batch. A text that begins with a bracket is one JSON array of operations.
///
/// A chunk may end anywhere, within a line, an escape or a character: the result does not
/// depend on how the text is split. Lines may have any length and number; the memory used is
/// that of the batch.
///
/// ```swift
/// var reader = BatchReader()
/// try reader.consume(Array(#"{"op":"delete","keys":["a"#.utf8))
/// try reader.consume(Array("\",\"b\"]}\n".utf8))
/// let batch = try reader.finish()
/// // batch == [BatchRecord(operation: .delete(keys: ["a", "b"]), line: 1)]
/// ```
///
/// A line ends at LF or CRLF; lines of spaces and tabs are ignored. Each line is one object,
/// strictly by RFC 8259, with one operation:
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
/// A destination is one of `section`, `before` and `after`; `index` is only valid with
/// `section`, and defaults to the section's end. Each of `items` has `key`, `width`, `height`
/// and optionally `span` and `data`. An index or a span is an integer in any notation. In
/// items, a null span is the same as none, and so is null data, which removes the data of an
/// upserted item. `missing` is `fail` or `ignore`; for a match `remove` or `keep`.
///
/// A key of an item or a section may be an integer without a fraction or an exponent; its text
/// as written is the key.
///
/// A batch is rejected for errors that an item reader ignores, because ignoring a misspelt member
/// would apply the wrong change: members that an operation does not have, and duplicate members.
///
/// Keys, names, sizes, preferred lengths, data and all values of an inserted item are checked
/// against `Limits`. Values whose validity depends on a dataset are not checked: indices, the
/// existence of keys, and spans of existing items.
package struct BatchReader: Sendable {
  // One less than the greatest number, because the stream reads one byte beyond.
  private var stream: RecordStream
  private var records: [BatchRecord] = []

  /// Creates a reader at the start of a text.
  package init() { stream = RecordStream(.ndjson, recordBytesMax: .max - 1, sniffs: true) }

  /// Parses the next bytes of the text.
  ///
  /// - Parameter bytes: Any number of bytes; they are not referenced after the call.
  /// - Throws: ``ImportError`` for a text that cannot be parsed, ``RecordProblem`` for a line that
  ///   is not a valid operation; the first of them. The reader must then no longer be used.
  /// - Precondition: Neither has `finish` returned nor has an error been thrown.
  /// - Complexity: O(*n*) in the number of bytes, for chunks of any size.
  package mutating func consume(_ bytes: UnsafeRawBufferPointer) throws {
    try stream.consume(bytes) { try records.append(Self.record($0, number: records.count + 1)) }
  }

  /// Parses the next bytes of the text.
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
    if records.isEmpty {
      throw ImportError(line: 1, code: .emptyInput, message: "the array has no operation")
    }
    return records
  }

  private static func record(_ line: TextRecord, number: Int) throws -> BatchRecord {
    if let fault = line.fault { throw fault.error }
    let object = try BatchObject(line, number: number)
    return BatchRecord(operation: try OperationForm.operation(of: object), line: line.line)
  }
}
