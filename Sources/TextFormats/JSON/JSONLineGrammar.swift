/// NDJSON as a ``RecordGrammar``.
struct JSONLineGrammar: RecordGrammar {
  private let members: ItemMembers
  private var lines = LineScanner()

  init(fields: FieldNames) {
    members = ItemMembers(fields)
  }

  mutating func scan(_ bytes: UnsafeRawBufferPointer) -> RecordScan { lines.scan(bytes) }

  mutating func scanLast(_ bytes: UnsafeRawBufferPointer) -> RecordScan { lines.scanLast(bytes) }

  func read(
    _ bytes: UnsafeRawBufferPointer, line: Int
  ) throws(FormatError) -> RecordContent {
    if isBlankLine(bytes) { return .blank }
    do {
      return .item(.record(try members.item(in: bytes, line: line)))
    } catch {
      return .item(.problem(error))
    }
  }

  func lineBreakCount(in bytes: UnsafeRawBufferPointer) -> Int { 0 }
}
