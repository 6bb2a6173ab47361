/// A CSV or TSV record after the header.
struct DelimitedRow {
  let record: UnsafeRawBufferPointer
  let fields: [DelimitedField]
  let line: Int

  /// Returns the item that the row states.
  ///
  /// - Throws: The first problem, in the order row, key, width, height, span.
  func item(
    _ columns: DelimitedColumns, _ names: FieldNames
  ) throws(RecordProblem) -> ItemRecord {
    guard fields.count >= columns.neededCount else {
      throw RecordProblem(
        line: line, code: .tooFewFields,
        message: "the row has \(fields.count) of \(columns.count) fields")
    }
    guard fields.count <= columns.count else {
      throw RecordProblem(
        line: line, code: .tooManyFields,
        message: "the row has \(fields.count) fields, the header \(columns.count)")
    }
    let key = fields[columns.key].text(in: record)
    guard !key.isEmpty else { throw .empty(names.key, line: line) }
    let width = try size(columns.width, names.width)
    let height = try size(columns.height, names.height)
    return ItemRecord(
      key: key, width: width, height: height, section: section(columns.section),
      span: try span(columns.span, names.span), line: line)
  }

  private func size(_ index: Int, _ name: String) throws(RecordProblem) -> Double {
    let content = trimmed(index)
    guard !content.isEmpty else { throw .empty(name, line: line) }
    do {
      return try parseDouble(content)
    } catch {
      throw .number(error, name, content, line: line)
    }
  }

  private func section(_ index: Int?) -> String? {
    guard let index else { return nil }
    let text = fields[index].text(in: record)
    return text.isEmpty ? nil : text
  }

  private func span(
    _ index: Int?, _ field: FieldNames.OptionalField
  ) throws(RecordProblem) -> Int? {
    guard let index, let name = field.name else { return nil }
    let content = trimmed(index)
    guard !content.isEmpty else { return nil }
    do {
      return try parseInteger(content)
    } catch {
      throw .number(error, name, content, line: line)
    }
  }

  /// A field's content without spaces around it.
  private func trimmed(_ index: Int) -> UnsafeRawBufferPointer {
    let content = fields[index].content(in: record)
    var start = 0
    var end = content.count
    while start < end, content[start] == UInt8(ascii: " ") { start += 1 }
    while start < end, content[end - 1] == UInt8(ascii: " ") { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: content[start..<end])
  }
}
