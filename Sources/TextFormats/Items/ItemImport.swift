package import LayoutCache
import LayoutGeometry

/// An import of items from a text into a dataset.
package struct ItemImport {
  /// How to handle an invalid row.
  package enum InvalidRows: String, CaseIterable, Sendable {
    /// The import fails.
    case fail
    /// The row is skipped and counted.
    case skip
  }

  /// The result of an import.
  package struct Outcome {
    package var summary: ImportSummary
    package var skipped: SkippedRows
    /// The number of rows that have updated items.
    package var updatedCount = 0
  }

  package let dataset: String
  package let mode: ImportMode
  package let format: TextFormat
  package let fields: FieldNames
  package let invalidRows: InvalidRows
  package let duplicateRows: DuplicateRows
  /// How a match handles items that are missing in the text.
  package let missing: MissingItems
  /// Whether a replacement or match without an accepted row empties the dataset; otherwise it
  /// fails.
  package let allowsEmpty: Bool

  package init(
    dataset: String, mode: ImportMode, format: TextFormat, fields: FieldNames = FieldNames(),
    invalidRows: InvalidRows = .fail, duplicateRows: DuplicateRows = .fail,
    missing: MissingItems = .remove, allowsEmpty: Bool = false
  ) {
    self.dataset = dataset
    self.mode = mode
    self.format = format
    self.fields = fields
    self.invalidRows = invalidRows
    self.duplicateRows = duplicateRows
    self.missing = missing
    self.allowsEmpty = allowsEmpty
  }

  /// Imports a whole source.
  ///
  /// - Parameters:
  ///   - reject: Receives each skipped row, verbatim and with a line end, after the header of
  ///     CSV and TSV: together a text of the same format.
  ///   - watchBuilding: Called repeatedly with the number of placed items and the total, once
  ///     they have been read; an error that it throws aborts the import.
  ///   - readPiece: Calls its argument with the next piece of the text; returns whether there
  ///     was one.
  /// - Throws: ``ItemImportError``, ``FormatError``, ``LayoutCacheError``; the errors of the
  ///   closures. Nothing is stored then.
  package func run(
    into cache: LayoutCache,
    rejecting reject: (([UInt8]) throws -> Void)? = nil,
    watchBuilding: @escaping (_ placedItems: Int, _ itemCount: Int) throws -> Void = { _, _ in },
    readPiece: ((UnsafeRawBufferPointer) throws -> Void) throws -> Bool
  ) throws -> Outcome {
    var skipped = SkippedRows()
    let summary = try cache.importItems(
      into: dataset, mode: mode, onDuplicate: duplicateRows, missing: missing
    ) { importer in
      importer.watchBuilding(watchBuilding)
      var reader = ItemReader(format: format, fields: fields, sniffs: true)
      var styles = StatedStyles()
      func take(_ event: ItemEvent?, _ text: UnsafeRawBufferPointer) throws {
        if let event {
          guard let bad = try add(event, to: &importer, &styles) else { return }
          if invalidRows == .fail { throw ItemImportError.badRow(bad) }
          skipped.add(bad)
        }
        try reject?(line(of: text))
      }
      while try readPiece({ try reader.consumeRecords($0, take) }) {}
      try requireItems(try finish(&reader, take), skipped, in: cache)
    }
    if duplicateRows == .skip {
      let field = fields.key
      skipped.add(
        summary.duplicates.map { BadRow($0, field: field) }, count: summary.duplicateCount)
    }
    return Outcome(
      summary: summary, skipped: skipped,
      updatedCount: duplicateRows == .update ? summary.duplicateCount : 0)
  }

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
    var keys: Set<Int> = []
    var styles = StatedStyles()
    var reader = ItemReader(format: format, fields: fields, sniffs: true)
    func take(_ event: ItemEvent?, _ text: UnsafeRawBufferPointer) {
      guard let event else { return }
      check.rowCount += 1
      switch event {
      case .problem(let problem): check.invalid.add(BadRow(problem))
      case .record(let record):
        do throws(LimitError) {
          _ = try item(of: record)
          if let section = record.section { try Limits.check(name: section, as: "section key") }
          if let style = record.style { try Limits.check(name: style, as: "style name") }
        } catch {
          return check.invalid.add(BadRow(error, line: record.line, field: field(of: error)))
        }
        if let contradiction = styles.contradiction(of: record, field: fields.style.name) {
          return check.invalid.add(contradiction)
        }
        if !keys.insert(ExactKey(record.key).hashValue).inserted {
          check.duplicateCount += 1
          if duplicateRows != .update {
            check.invalid.add(BadRow(repeating: record, field: fields.key))
          }
        }
        if record.section == nil { check.sectionlessCount += 1 }
      }
    }
    do {
      while try readPiece({ try reader.consumeRecords($0, take) }) {}
      _ = try finish(&reader, take)
    } catch let error as FormatError {
      check.formatError = error
    }
    return check
  }

  /// Ends the text. A text without rows results in an empty dataset: CSV and TSV then have a
  /// header, and NDJSON may be empty.
  private func finish(
    _ reader: inout ItemReader, _ take: (ItemEvent?, UnsafeRawBufferPointer) throws -> Void
  ) throws -> ReadSummary {
    do {
      return try reader.finishRecords(take)
    } catch let error as FormatError {
      guard error.code == .emptyInput, format == .ndjson else { throw error }
      return ReadSummary()
    }
  }

  /// Returns a record as separate text. That of a JSON array becomes a line of NDJSON, with
  /// spaces for the line breaks, which are white space.
  private func line(of record: UnsafeRawBufferPointer) -> [UInt8] {
    var line = Array(record)
    if format == .ndjson {
      line = line.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? 0x20 : $0 }
    }
    return line + [UInt8(ascii: "\n")]
  }

  /// Adds an event's item to the dataset.
  ///
  /// - Returns: The problem of the row, if any.
  private func add(
    _ event: ItemEvent, to importer: inout Importer, _ styles: inout StatedStyles
  ) throws -> BadRow? {
    switch event {
    case .problem(let problem): return BadRow(problem)
    case .record(let record):
      do {
        let item = try item(of: record)
        let section = record.section ?? Importer.defaultSection
        if let contradiction = styles.contradiction(of: record, field: fields.style.name) {
          return contradiction
        }
        try importer.add(item, section: section, style: record.style, line: record.line)
        return nil
      } catch let error as LimitError {
        return BadRow(error, line: record.line, field: field(of: error))
      } catch let error as LayoutCacheError {
        guard case .limit(let limit) = error.code else { throw error }
        return BadRow(limit, line: record.line, field: field(of: limit))
      }
    }
  }

  private func item(of record: ItemRecord) throws(LimitError) -> UpsertedItem {
    let data = try record.data.map { json throws(LimitError) in try ItemData(json: json) }
    return try UpsertedItem(
      key: record.key, width: record.width, height: record.height, columnSpan: record.span,
      data: data.map { .set($0) } ?? .none)
  }

  /// Returns the column or member with a value that violates a limit.
  private func field(of error: LimitError) -> String? {
    switch error.subject.name {
    case "key": fields.key
    case "width": fields.width
    case "height": fields.height
    case "span": fields.span.name
    case "section key": fields.section.name
    case "style name": fields.style.name
    case "data":
      switch fields.data {
      case .object(let name): name
      case .members(let members): members.map(\.name).joined(separator: ",")
      }
    default: nil
    }
  }

  /// Returns whether the dataset has items that a match without rows would remove.
  private func hasItems(in cache: LayoutCache) throws -> Bool {
    do {
      return try cache.dataset(dataset).itemCount > 0
    } catch let error as LayoutCacheError {
      guard case .noSuchDataset = error.code else { throw error }
      return false
    }
  }

  private func requireItems(
    _ summary: ReadSummary, _ skipped: SkippedRows, in cache: LayoutCache
  ) throws {
    let rowCount = summary.recordCount + summary.problemCount
    if rowCount == skipped.count, try emptiesDataset(of: cache) {
      if allowsEmpty { return }
      throw ItemImportError.wouldEmpty(skippedCount: skipped.count)
    }
    if rowCount > 0, skipped.count == rowCount, let first = skipped.rows.first {
      throw ItemImportError.onlyBadRows(count: rowCount, first: first)
    }
  }

  /// Returns whether an import without an accepted row leaves the dataset without items.
  private func emptiesDataset(of cache: LayoutCache) throws -> Bool {
    switch mode {
    case .replace: true
    case .match: try missing == .remove && hasItems(in: cache)
    default: false
    }
  }
}

/// The reason that a parsed text is not imported.
package enum ItemImportError: Error, Hashable, Sendable {
  /// An invalid row, if none may be skipped.
  case badRow(BadRow)
  /// All rows were skipped.
  case onlyBadRows(count: Int, first: BadRow)
  /// A replacement or match without an accepted row, which would empty the dataset: more likely
  /// a truncated file than intended.
  case wouldEmpty(skippedCount: Int)
}

/// The result of reading a text without importing it.
package struct ImportCheck {
  /// The number of rows.
  package var rowCount = 0
  /// The rows that are not valid items.
  package var invalid = SkippedRows()
  /// The number of rows with the key of an earlier row.
  package var duplicateCount = 0
  /// The number of valid rows without a section, which belong to the section "main".
  package var sectionlessCount = 0
  /// The error after which the text could not be read.
  package var formatError: FormatError?
}
