/// CSV and TSV as a ``RecordGrammar``.
struct DelimitedGrammar: RecordGrammar {
  private let names: FieldNames
  private var scanner: DelimitedScanner
  /// Known once the header has been read.
  private var columns: DelimitedColumns?

  init(delimiter: UInt8, fields: FieldNames) {
    names = fields
    scanner = DelimitedScanner(delimiter: delimiter)
  }

  mutating func scan(_ bytes: UnsafeRawBufferPointer) -> RecordScan {
    scanner.scan(bytes)
  }

  mutating func scanLast(_ bytes: UnsafeRawBufferPointer) -> RecordScan {
    scanner.scanLast(bytes)
  }

  mutating func read(
    _ bytes: UnsafeRawBufferPointer, line: Int
  ) throws(FormatError) -> RecordContent {
    defer { scanner.reset() }
    guard !scanner.fields.isEmpty else { return .blank }
    guard let columns else {
      let header = scanner.fields.map { $0.text(in: bytes) }
      columns = try DelimitedColumns(header: header, fields: names, line: line)
      return .kept
    }
    let row = DelimitedRow(record: bytes, fields: scanner.fields, line: line)
    do {
      return .item(.record(try row.item(columns, names)))
    } catch {
      return .item(.problem(error))
    }
  }

  func lineBreakCount(in bytes: UnsafeRawBufferPointer) -> Int {
    var count = 0
    for (offset, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\r") { count += 1 }
      if byte == UInt8(ascii: "\n"), offset == 0 || bytes[offset - 1] != UInt8(ascii: "\r") {
        count += 1
      }
    }
    return count
  }
}
