import LayoutCache
import LayoutGeometry

extension ItemImport {
  /// Reads a whole source as ``run(into:rejecting:watchBuilding:readPiece:)`` does, and imports
  /// nothing. All invalid rows are counted, whatever ``invalidRows`` says. Rows with the key of
  /// an earlier row are invalid, unless ``duplicateRows`` is `update`.
  ///
  /// Memory grows with the number of rows: some 16 bytes per row, for the hash of its key.
  ///
  /// - Throws: The errors of the closure. An error of the text is a part of the result.
  package func check(
    readPiece: ((UnsafeRawBufferPointer) throws -> Void) throws -> Bool
  ) throws -> ImportCheck {
    var check = ImportCheck()
    var styles = StatedStyles()
    var sectionless = SectionlessRows(fields)
    var reader = ItemReader(format: format, fields: fields, shape: options.shape, sniffs: true)
    func take(_ event: ItemEvent?, _ text: UnsafeRawBufferPointer, _ isEnd: Bool) {
      guard let event else { return }
      check.rowCount += 1
      var bad: [RecordProblem] = []
      let record: ItemRecord?
      switch event {
      case .invalid(let invalid):
        bad = invalid.problems
        record = invalid.readable
      case .record(let valid): record = valid
      }
      if case .record(let record) = event {
        if !record.hasSize { check.sizelessCount += 1 }
        addSize(of: record, to: &check.proportions)
      }
      bad += record.map(limitsExceeded(by:)) ?? []
      guard bad.isEmpty, let record else { return check.invalid.add(bad) }
      if let contradiction = styles.contradiction(of: record, field: fields.style.name) {
        bad.append(contradiction)
      }
      if requiresSection, record.section == nil {
        bad.append(RecordProblem(sectionless: record, fields))
      } else {
        sectionless.add(record)
      }
      if bad.isEmpty, !check.keyHashes.insert(ExactKey(record.key).hashValue).inserted {
        check.duplicateCount += 1
        if duplicateRows != .update {
          bad.append(RecordProblem(repeating: record, field: fields.key))
        }
      }
      check.invalid.add(bad)
    }
    do {
      while try readPiece({ try reader.consumeRecords($0, take) }) {}
      _ = try finish(&reader, take)
    } catch let error as ImportError {
      check.formatError = error
    }
    check.sectionlessCount = sectionless.count
    return check
  }

  /// Returns the values of a record that violate limits.
  private func limitsExceeded(by record: ItemRecord) -> [RecordProblem] {
    var exceeded: [RecordProblem] = []
    func check(_ body: () throws(LimitError) -> Void) {
      do throws(LimitError) { try body() } catch {
        exceeded.append(RecordProblem(error, line: record.line, field: field(of: error)))
      }
    }
    check { () throws(LimitError) in try Limits.check(name: record.key, as: "key") }
    check { () throws(LimitError) in
      _ = try Limits.naturalSide(points: record.width, as: "width")
    }
    check { () throws(LimitError) in
      _ = try Limits.naturalSide(points: record.height, as: "height")
    }
    check { () throws(LimitError) in
      if let section = record.section { try Limits.check(name: section, as: "section key") }
    }
    check { () throws(LimitError) in
      if let style = record.style { try Limits.check(name: style, as: "style name") }
    }
    // The span and the data.
    check { () throws(LimitError) in
      var item = record
      (item.key, item.width, item.height) = ("-", 1, 1)
      _ = try self.item(of: item)
    }
    return exceeded
  }
}

/// The result of reading a text without importing it.
package struct ImportCheck {
  package var rowCount = 0
  /// The rows that are not valid items, with all their problems.
  package var invalid = SkippedRows()
  /// The hashes of the keys of the valid rows.
  fileprivate(set) var keyHashes: Set<Int> = []
  /// The number of rows with the key of an earlier row.
  package var duplicateCount = 0
  /// The number of rows without a section, as in an import's outcome.
  package var sectionlessCount = 0
  /// The number of rows without a size, and the shapes of the others.
  package var sizelessCount = 0
  package var proportions = Proportions()
  /// The error after which the text could not be read.
  package var formatError: ImportError?

  /// Whether a valid row has a key, except for collisions of hashes.
  package func contains(key: String) -> Bool { keyHashes.contains(ExactKey(key).hashValue) }

  /// The reason that these are not the names of the fields; `nil` if they may be.
  package var unusable: ImportError? {
    if let formatError { return formatError.code == .missingColumn ? formatError : nil }
    guard rowCount > 0, invalid.count == rowCount, let first = invalid.rows.first,
      first.code == .missingField
    else {
      return nil
    }
    return ImportError(
      line: first.line, code: .missingColumn, message: "\(first.message); no row is valid")
  }
}
