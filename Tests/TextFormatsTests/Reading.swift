import TextFormats

/// The result of reading a whole text.
struct Reading: Equatable {
  var events: [ItemEvent] = []
  var summary: ReadSummary?
  var error: ImportError?

  var records: [ItemRecord] {
    events.compactMap { if case .record(let record) = $0 { record } else { nil } }
  }

  var problems: [RecordProblem] {
    events.compactMap { if case .invalid(let record) = $0 { record.problems[0] } else { nil } }
  }

  /// Reads a text in chunks that end at the given offsets, and at its end.
  init(
    _ text: [UInt8], _ format: TextFormat, fields: FieldNames = FieldNames(),
    shape: TextShape = TextShape(), sniffs: Bool = false, recordBytesMax: Int = 1 << 20,
    cuts: [Int] = []
  ) throws {
    var reader = ItemReader(
      format: format, fields: fields, shape: shape, sniffs: sniffs, recordBytesMax: recordBytesMax)
    do {
      var start = 0
      for end in cuts + [text.count] {
        try reader.consume(Array(text[start..<end])) { events.append($0) }
        start = end
      }
      summary = try reader.finish { events.append($0) }
    } catch let error as ImportError {
      self.error = error
    }
  }

  init(
    _ text: String, _ format: TextFormat, fields: FieldNames = FieldNames(),
    shape: TextShape = TextShape(), sniffs: Bool = false, recordBytesMax: Int = 1 << 20
  ) throws {
    try self.init(
      Array(text.utf8), format, fields: fields, shape: shape, sniffs: sniffs,
      recordBytesMax: recordBytesMax)
  }
}
