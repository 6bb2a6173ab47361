import JSONText

/// The first records of a text, as columns of values.
package struct TextSample {
  /// A column of CSV and TSV, or a member of NDJSON objects.
  struct Column {
    let name: String
    /// One value per record; `nil` where it is absent, null or empty.
    var values: [Value?]

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
  package private(set) var shape: TextShape
  /// The first row of CSV and TSV, which names the columns unless it looks like the others.
  private(set) var header: [String]?
  private(set) var separator: UInt8?
  /// Whether the first line of a JSON text is only a part of its object.
  private(set) var beginsWithPart = false
  private(set) var columns: [Column] = []
  private(set) var recordCount = 0
  private var columnIndices: [String: Int] = [:]

  /// Reads a text's first records.
  ///
  /// - Parameters:
  ///   - opening: The first bytes of the text.
  ///   - isWhole: Whether there are no others.
  ///   - format: The format; `nil` to recognize it by the bytes.
  /// - Throws: ``ImportError`` if the text has no records.
  package init(
    _ opening: [UInt8], isWhole: Bool, format: TextFormat? = nil, shape: TextShape = TextShape()
  ) throws {
    self.format = format ?? TextFormat(of: opening)
    self.shape = shape
    var stream = RecordStream(self.format, recordBytesMax: 1 << 20, sniffs: true, shape: shape)
    do {
      func take(_ record: TextRecord) {
        if recordCount == Self.recordsMax || record.fault != nil || record.isContinuation { return }
        if self.format == .ndjson {
          if recordCount == 0 {
            beginsWithPart = (try? record.forEachMember { _, _ in }) == nil
          }
          return add(members(of: record))
        }
        if header == nil {
          let names = DelimitedColumns.names(in: record, shape)
          header = names
          for name in names { _ = index(of: name) }
          if shape.hasHeader { return }
        }
        let values = zip(header ?? [], record.fields).map { name, field in
          (name, value(field.text(in: record)))
        }
        add(values)
      }
      try opening.withUnsafeBytes { try stream.consume($0, take) }
      if isWhole { try stream.finish(take) }
    } catch let error as ImportError {
      if recordCount == 0 { throw error }
    }
    if case .fields(let delimiter) = stream.form { separator = delimiter }
  }

  /// The same sample, with the numbers that have a comma before their decimals.
  var readingDecimalComma: TextSample {
    var sample = self
    sample.shape.usesDecimalComma = true
    for index in columns.indices {
      sample.columns[index].values = columns[index].values.map { value in
        value.flatMap { sample.value($0.text) }
      }
    }
    return sample
  }

  private mutating func index(of name: String) -> Int? {
    if let index = columnIndices[name] { return index }
    guard columns.count < Self.columnsMax else { return nil }
    columnIndices[name] = columns.count
    columns.append(Column(name: name, values: Array(repeating: nil, count: recordCount)))
    return columns.count - 1
  }

  private mutating func add(_ values: [(String, Value?)]) {
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
  }

  private func value(_ text: String) -> Value? {
    if text.isEmpty { return nil }
    var number = String(text[...].trimmingSpaces)
    let relaxed = number.withUTF8 {
      relaxedNumber(UnsafeRawBufferPointer($0), usesDecimalComma: shape.usesDecimalComma)
    }
    return Value(
      text: text,
      number: relaxed.flatMap { FieldNames.constant(String(decoding: $0, as: UTF8.self)) },
      isKey: true)
  }

  /// Returns the members of a line, those of an object within it with the path as a name; none
  /// if it is not an object.
  private func members(of record: TextRecord, in path: String = "") -> [(String, Value?)] {
    var members: [(String, Value?)] = []
    try? record.forEachMember { name, token in
      if token.kind == .object, path.isEmpty {
        let inner = UnsafeRawBufferPointer(rebasing: record.bytes[token.start..<token.end])
        let object = TextRecord(bytes: inner, line: record.line)
        members += self.members(of: object, in: name.text(in: record) + ".")
        return
      }
      let value: Value? =
        switch token.kind {
        case .absent, .null: nil
        case .string: self.value(token.text(in: record))
        case .number:
          Value(
            text: token.json(in: record), number: FieldNames.constant(token.json(in: record)),
            isKey: Int(token.json(in: record)) != nil)
        case .boolean, .array, .object:
          Value(text: token.json(in: record), number: nil, isKey: false)
        }
      members.append((path + name.text(in: record), value))
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
