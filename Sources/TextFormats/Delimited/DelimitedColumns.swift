import JSONText
import LayoutCache
import LayoutGeometry

/// The indices of the columns with an item's values, from the header.
struct DelimitedColumns {
  private let key: Int
  private let width: Int
  private let height: Int
  private let section: Int?
  private let span: Int?
  private let data: DataColumns
  /// The number of columns in the header.
  private let count: Int
  /// One more than the largest index above.
  private let neededCount: Int

  /// Finds the columns of a header.
  ///
  /// - Throws: `missingColumn`, `duplicateColumn`.
  init(header record: TextRecord, _ names: FieldNames) throws(FormatError) {
    let header = record.fields.map { $0.text(in: record) }
    func error(_ code: FormatError.Code, _ message: String) -> FormatError {
      FormatError(line: record.line, code: code, message: message)
    }
    func index(_ name: String) throws(FormatError) -> Int? {
      // Byte for byte; `==` on strings would equate canonical equivalents.
      let matches = header.indices.filter { header[$0].isExactly(name) }
      guard matches.count < 2 else {
        throw error(
          .duplicateColumn,
          "\(matches.count) columns are named \"\(excerpt(name))\"; rename all but one")
      }
      return matches.first
    }
    func needed(_ name: String) throws(FormatError) -> Int {
      if let index = try index(name) { return index }
      throw error(
        .missingColumn,
        clauses(
          "no column is named '\(excerpt(name))'", didYouMean(name, among: header),
          "the columns are \(listing(header))"))
    }
    func optional(_ field: FieldNames.OptionalField) throws(FormatError) -> Int? {
      switch field {
      case .ignored: nil
      case .ifPresent(let name): try index(name)
      case .required(let name): try needed(name)
      }
    }
    key = try needed(names.key)
    width = try needed(names.width)
    height = try needed(names.height)
    section = try optional(names.section)
    span = try optional(names.span)
    switch names.data {
    case .object(let name): data = .object(try index(name))
    case .members(let names):
      var members: [DataColumns.Member] = []
      for name in names { members.append((name, try needed(name))) }
      data = .members(members)
    }
    count = header.count
    neededCount = 1 + max(key, width, height, section ?? 0, span ?? 0, data.last)
    assert(neededCount <= count)
  }

  /// Returns the item of a row.
  ///
  /// - Throws: The first problem, in the order row, key, width, height, span.
  func item(
    in record: TextRecord, _ names: FieldNames
  ) throws(RecordProblem) -> ItemRecord {
    let fields = record.fields
    guard fields.count >= neededCount else {
      throw record.problem(.tooFewFields, "the row has \(fields.count) of \(count) fields")
    }
    guard fields.count <= count else {
      throw record.problem(
        .tooManyFields, "the row has \(fields.count) fields, but the header has \(count)")
    }
    let keyText = fields[key].text(in: record)
    guard !keyText.isEmpty else { throw record.problem(.emptyField, of: names.key) }
    let sectionKey = section.map { fields[$0].text(in: record) } ?? ""
    return ItemRecord(
      key: keyText,
      width: try size(fields[width], names.width, in: record),
      height: try size(fields[height], names.height, in: record),
      section: sectionKey.isEmpty ? nil : sectionKey,
      span: try span.flatMap { index throws(RecordProblem) in
        guard let text = fields[index].trimmed(in: record) else { return nil }
        return try record.number(text, of: names.span.name ?? "span", parseInteger)
      },
      data: data.json(in: record),
      line: record.line)
  }

  private func size(
    _ field: DelimitedField, _ name: String, in record: TextRecord
  ) throws(RecordProblem) -> Double {
    guard let text = field.trimmed(in: record) else { throw record.problem(.emptyField, of: name) }
    return try record.number(text, of: name, parseDouble)
  }
}
