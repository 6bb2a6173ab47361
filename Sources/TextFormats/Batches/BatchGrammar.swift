/// A batch's NDJSON as a ``RecordGrammar`` that keeps the operations.
struct BatchGrammar: RecordGrammar {
  private(set) var records: [BatchRecord] = []
  private var lines = LineScanner()

  mutating func scan(_ bytes: UnsafeRawBufferPointer) -> RecordScan { lines.scan(bytes) }

  mutating func scanLast(_ bytes: UnsafeRawBufferPointer) -> RecordScan { lines.scanLast(bytes) }

  mutating func read(
    _ bytes: UnsafeRawBufferPointer, line: Int
  ) throws(FormatError) -> RecordContent {
    if isBlankLine(bytes) { return .blank }
    do {
      let operation = try BatchOperation(BatchObject(line: bytes, number: line))
      records.append(BatchRecord(operation, line: line))
      return .kept
    } catch {
      return .item(.problem(error))
    }
  }

  func lineBreakCount(in bytes: UnsafeRawBufferPointer) -> Int { 0 }
}
