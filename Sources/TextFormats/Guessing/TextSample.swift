import JSONText

/// The first records of a text, as columns of values.
package struct TextSample {
  /// A column of CSV and TSV, or a member of NDJSON objects.
  struct Column {
    let name: String
    /// One value per record; `nil` where it is absent, null or empty.
    var values: [Value?]

    /// The values that are present.
    var present: [Value] { values.compactMap { $0 } }
  }

  struct Value {
    let text: String
    /// The number that it is, as text or in JSON.
    let number: Double?
    var isNumber: Bool { number != nil }
    /// Whether it may be a key: a text, or a JSON integer.
    let isKey: Bool
  }

  private static let recordsMax = 2_000
  private static let columnsMax = 1_024

  package let format: TextFormat
  private(set) var columns: [Column] = []
  private(set) var recordCount = 0
  private var columnIndices: [String: Int] = [:]

  /// Reads a text's first records.
  ///
  /// - Parameters:
  ///   - opening: The first bytes of the text.
  ///   - isWhole: Whether there are no others.
  ///   - format: The format; `nil` to recognize it by the bytes.
  /// - Throws: ``FormatError`` if the text has no records.
  package init(_ opening: [UInt8], isWhole: Bool, format: TextFormat? = nil) throws {
    self.format = format ?? TextFormat(of: opening)
    var stream = RecordStream(self.format, recordBytesMax: 1 << 20, sniffs: true)
    var header: [String]?
    do {
      func take(_ record: TextRecord) throws {
        if self.format == .ndjson {
          try add(members(of: record))
        } else if let header {
          let values = zip(header, record.fields).map { name, field in
            (name, Self.value(field.text(in: record)))
          }
          try add(values)
        } else {
          header = record.fields.map { $0.text(in: record) }
          for name in header ?? [] { _ = index(of: name) }
        }
      }
      try opening.withUnsafeBytes { try stream.consume($0, take) }
      if isWhole { try stream.finish(take) }
    } catch is SampleIsFull {
    } catch let error as FormatError {
      if recordCount == 0 { throw error }
    }
  }

  private struct SampleIsFull: Error {}

  private mutating func index(of name: String) -> Int? {
    if let index = columnIndices[name] { return index }
    guard columns.count < Self.columnsMax else { return nil }
    columnIndices[name] = columns.count
    columns.append(Column(name: name, values: Array(repeating: nil, count: recordCount)))
    return columns.count - 1
  }

  private mutating func add(_ values: [(String, Value?)]) throws {
    for (name, value) in values {
      guard let index = index(of: name), columns[index].values.count == recordCount else {
        continue
      }
      columns[index].values.append(value)
    }
    recordCount += 1
    for index in columns.indices where columns[index].values.count < recordCount {
      columns[index].values.append(nil)
    }
    if recordCount == Self.recordsMax { throw SampleIsFull() }
  }

  private static func value(_ text: String) -> Value? {
    if text.isEmpty { return nil }
    let number = FieldNames.constant(String(text[...].trimmingSpaces))
    return Value(text: text, number: number, isKey: true)
  }

  /// Returns the members of a line; none if it is not an object.
  private func members(of record: TextRecord) -> [(String, Value?)] {
    var members: [(String, Value?)] = []
    try? record.forEachMember { name, token in
      let value: Value? =
        switch token.kind {
        case .absent, .null: nil
        case .string: Self.value(token.text(in: record))
        case .number:
          Value(
            text: token.json(in: record), number: FieldNames.constant(token.json(in: record)),
            isKey: Int(token.json(in: record)) != nil)
        case .boolean, .array, .object:
          Value(text: token.json(in: record), number: nil, isKey: false)
        }
      members.append((name.text(in: record), value))
    }
    return members
  }
}

extension TextFormat {
  /// Recognizes the format by a text's first bytes: JSON begins with a bracket, a header with a
  /// name.
  package init(of opening: [UInt8]) {
    let first = opening.withoutByteOrderMark.first { !" \t\r\n".utf8.contains($0) }
    self = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .ndjson : .csv
  }
}
