import JSONText
import LayoutCache
import LayoutGeometry

/// The indices of the columns with an item's values, from the header.
struct DelimitedColumns {
  /// `nil` if the key is the row's number.
  private let key: Int?
  private let width: Size
  private let height: Size
  private let section: Int?
  /// The name of the section's column and the part of its date; `nil` if the whole text is the
  /// section's key.
  private let sectionDate: (field: String, part: DatePart)?
  private let span: Int?
  private let hidden: Int?
  private let style: Int?
  private let data: DataColumns
  private let orientation: Int?
  /// The names of the columns.
  let header: [String]
  private let shape: TextShape
  private var count: Int { header.count }
  /// One more than the largest index above.
  private let neededCount: Int

  /// The source of a width or height.
  private enum Size {
    case column(Int)
    /// The same for all items.
    case constant(Double)
    /// No column; all items have the size for items without one.
    case absent

    var column: Int? { if case .column(let index) = self { index } else { nil } }
  }

  /// Finds the columns of a header, or of a first row whose columns have numbers as names.
  ///
  /// - Throws: `missingColumn`, for all of them; `duplicateColumn`.
  init(
    header record: TextRecord, _ names: FieldNames, _ shape: TextShape
  ) throws(ImportError) {
    let header = Self.names(in: record, shape)
    func error(_ code: ImportError.Code, _ message: String) -> ImportError {
      ImportError(line: record.line, code: code, message: message)
    }
    func index(_ name: String) throws(ImportError) -> Int? {
      // Byte for byte; `==` on strings would equate canonical equivalents.
      let name = String(name[...].trimmingSpaces)
      let matches = header.indices.filter { header[$0].isExactly(name) }
      guard matches.count < 2 else {
        throw error(
          .duplicateColumn,
          "\(matches.count) columns are named \"\(excerpt(name))\"; rename all but one")
      }
      return matches.first
    }
    var missing: [String] = []
    func needed(_ name: String) throws(ImportError) -> Int {
      if let index = try index(name) { return index }
      if !missing.contains(where: { $0.isExactly(name) }) { missing.append(name) }
      return 0
    }
    func optional(_ field: FieldNames.OptionalField) throws(ImportError) -> Int? {
      switch field {
      case .ignored: nil
      case .ifPresent(let name): try index(name)
      case .required(let name): try needed(name)
      }
    }
    func size(_ name: String) throws(ImportError) -> Size {
      if let index = try index(name) { return .column(index) }
      if let constant = FieldNames.constant(name) { return .constant(constant) }
      if names.size != nil, ["width", "height"].contains(name) { return .absent }
      return .column(try needed(name))
    }
    if try index(names.key) == nil, names.key == FieldNames.rowNumber {
      key = nil
    } else {
      key = try needed(names.key)
    }
    width = try size(names.width)
    height = try size(names.height)
    if case .required(let name) = names.section, try index(name) == nil,
      let reading = DatePart.reading(name)
    {
      section = try needed(reading.field)
      sectionDate = reading
    } else {
      section = try optional(names.section)
      sectionDate = nil
    }
    span = try optional(names.span)
    hidden = try optional(names.hidden)
    style = try optional(names.style)
    orientation = try optional(names.orientation)
    switch names.data {
    case .object(let name): data = .object(try index(name))
    case .members(let wanted):
      var members: [DataColumns.Member] = []
      for member in wanted {
        var found: DataColumns.Member?
        for reading in member.readings where found == nil {
          found = try index(reading.field).map { (reading, $0) }
        }
        if let found { members.append(found) } else { _ = try needed(member.wantedField) }
      }
      data = .members(members)
    }
    guard missing.isEmpty else {
      throw error(.missingColumn, Self.advice(onMissing: missing, among: header))
    }
    (self.header, self.shape) = (header, shape)
    let columns = [
      key, width.column, height.column, section, span, hidden, style, orientation, data.last,
    ]
    neededCount = 1 + (columns.compactMap { $0 }.max() ?? 0)
    assert(neededCount <= header.count)
  }

  /// Returns the names of a first row's columns, without surrounding spaces.
  static func names(in record: TextRecord, _ shape: TextShape) -> [String] {
    shape.hasHeader
      ? record.fields.map { field in
        if field.hasDoubledQuotes { return field.text(in: record) }
        return field.trimmed(in: record).map { String(decoding: $0, as: UTF8.self) } ?? ""
      }
      : (1...max(1, record.fields.count)).map(String.init)
  }

  /// Returns the message for columns that the header lacks.
  private static func advice(onMissing names: [String], among header: [String]) -> String {
    let columns =
      header.count > 1
      ? "the columns are \(listing(header))"
      : "the only column is \(listing(header)); separate columns by , ; | or a tab"
    if names.count == 1 {
      // A part of a date or a type that does not exist.
      let stem = names[0].lastIndex(of: ":").map { String(names[0][..<$0]) }
      let colon = stem.flatMap { stem in
        header.contains { $0.isExactly(stem) }
          ? "a colon may be followed by day, month or year in --section, and by string, number, "
            + "boolean, list or json in --data" : nil
      }
      return clauses(
        "no column is named '\(excerpt(names[0]))'", colon ?? didYouMean(names[0], among: header),
        columns)
    }
    let listed = names.map { name in
      "'\(excerpt(name))'" + (didYouMean(name, among: header).map { " (\($0))" } ?? "")
    }
    return clauses("no columns are named \(listed.joined(separator: ", "))", columns)
  }

  /// Returns the item of a row, with placeholders for invalid values.
  ///
  /// - Parameters:
  ///   - number: The row's number, counted from 1 after the header.
  ///   - problems: Receives those of values, in the order key, width, height, section, span,
  ///     hidden, data.
  /// - Throws: The problem of the row as a whole.
  func item(
    in record: TextRecord, number: Int, _ names: FieldNames, _ problems: inout [RecordProblem]
  ) throws(RecordProblem) -> ItemRecord {
    let fields = record.fields
    guard fields.count >= neededCount else {
      throw record.problem(.tooFewFields, "the row has \(fields.count) of \(count) fields")
    }
    // Some programs end rows with a separator that the header lacks.
    let hasTrailingSeparator = fields.last.map { $0.start == $0.end } ?? false
    guard fields.count <= count || fields.count == count + 1 && hasTrailingSeparator else {
      throw record.problem(
        .tooManyFields, "the row has \(fields.count) fields, but the header has \(count)")
    }
    let keyText = key.map { fields[$0].text(in: record) } ?? String(number)
    if keyText.isEmpty { problems.append(record.problem(.emptyField, of: names.key)) }
    let sectionKey = section.map { fields[$0].text(in: record) } ?? ""
    let style = style.map { fields[$0].text(in: record) } ?? ""
    let width = problems.value(or: 1) { () throws(RecordProblem) in
      try side(self.width, names.width, in: record, isOptional: names.size != nil)
    }
    let height = problems.value(or: 1) { () throws(RecordProblem) in
      try side(self.height, names.height, in: record, isOptional: names.size != nil)
    }
    let size = problems.value(or: FieldNames.RowSize()) { () throws(RecordProblem) in
      try names.size(
        width, height, orientation: orientation.map { fields[$0].text(in: record) },
        isConstant: (self.width.column == nil, self.height.column == nil)
      ) {
        record.problem(
          .notAnOrientation, of: names.orientation.name ?? "orientation",
          found: orientation.map { fields[$0].content(in: record) })
      }
    }
    return ItemRecord(
      key: keyText.isEmpty ? "-" : keyText, width: size.width, height: size.height,
      section: problems.value(or: nil) { () throws(RecordProblem) in
        try self.sectionKey(sectionKey, in: record)
      },
      style: style.isEmpty ? nil : style, hasSize: size.isGiven,
      span: problems.value(or: nil) { () throws(RecordProblem) in
        guard let text = span.flatMap({ fields[$0].trimmed(in: record) }) else { return nil }
        return try record.number(text, shape, of: names.span.name ?? "span", parseInteger)
      },
      visibility: problems.value(or: nil) { () throws(RecordProblem) in
        guard let text = hidden.flatMap({ fields[$0].trimmed(in: record) }) else { return nil }
        let visibility = ItemVisibility(text: String(decoding: text, as: UTF8.self))
        guard let visibility else {
          throw record.problem(.notAVisibility, of: names.hidden.name ?? "hidden", found: text)
        }
        return visibility
      },
      data: problems.value(or: nil) { () throws(RecordProblem) in
        try data.json(in: record, shape)
      },
      line: record.line)
  }

  private func sectionKey(
    _ text: String, in record: TextRecord
  ) throws(RecordProblem) -> String? {
    guard let sectionDate else { return text.isEmpty ? nil : text }
    return try sectionDate.part.section(text, sectionDate.field, in: record)
  }

  private func side(
    _ source: Size, _ name: String, in record: TextRecord, isOptional: Bool
  ) throws(RecordProblem) -> Double? {
    let index: Int
    switch source {
    case .absent: return nil
    case .constant(let size): return size
    case .column(let column): index = column
    }
    guard let text = record.fields[index].trimmed(in: record) else {
      if isOptional { return nil }
      throw record.problem(.emptyField, of: name)
    }
    return try record.number(text, shape, of: name, parseDouble)
  }
}
