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
      let object = try BatchObject(bytes, line: line, number: records.count + 1)
      records.append(BatchRecord(try OperationForm.operation(of: object), line: line))
      return .kept
    } catch {
      return .item(.problem(error))
    }
  }

  func lineBreakCount(in bytes: UnsafeRawBufferPointer) -> Int { 0 }
}
