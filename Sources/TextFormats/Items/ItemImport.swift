package import LayoutCache
import LayoutGeometry

/// Reads items from a text into a dataset.
package struct ItemImport {
  /// How to handle an invalid row.
  package enum InvalidRows: String, CaseIterable, Sendable {
    /// The import is given up.
    case fail
    /// The row is left out and counted.
    case skip
  }

  /// The result of an import.
  package struct Outcome {
    package var summary: ImportSummary
    package var skipped: SkippedRows
    /// How many rows have updated items.
    package var updatedCount = 0
  }

  package let dataset: String
  package let mode: ImportMode
  package let format: TextFormat
  package let fields: FieldNames
  package let invalidRows: InvalidRows
  package let duplicateRows: DuplicateRows
  /// How a match treats items that the text does not have.
  package let missing: MissingItems
  /// Whether a replacement or match that accepts no row empties the dataset; otherwise it fails.
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

  /// Imports all that a source gives.
  ///
  /// - Parameters:
  ///   - reject: Takes each row that is left out, as it is in the text and with a line end,
  ///     after the header of CSV and TSV: a text of the same format.
  ///   - watchBuilding: Called again and again with the items put in place, of all, once they have
  ///     been read; where it throws the import is given up.
  ///   - readPiece: Calls its argument with the next piece of the text; returns
  ///     whether there was one.
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
      func take(_ event: ItemEvent?, _ text: UnsafeRawBufferPointer) throws {
        if let event {
          guard let bad = try add(event, to: &importer) else { return }
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

  /// Ends the text. One without rows makes an empty dataset: CSV and TSV have a header then,
  /// and NDJSON may be nothing at all.
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

  /// A record as its own text. That of a JSON array becomes a line of NDJSON, in which line
  /// breaks are white space.
  private func line(of record: UnsafeRawBufferPointer) -> [UInt8] {
    var line = Array(record)
    if format == .ndjson {
      line = line.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? 0x20 : $0 }
    }
    return line + [UInt8(ascii: "\n")]
  }

  /// Adds an event's item to the dataset.
  ///
  /// - Returns: What is wrong with the row, if anything is.
  private func add(_ event: ItemEvent, to importer: inout Importer) throws -> BadRow? {
    switch event {
    case .problem(let problem): return BadRow(problem)
    case .record(let record):
      do {
        let data = try record.data.map { json throws(LimitError) in try ItemData(json: json) }
        let item = try UpsertedItem(
          key: record.key, width: record.width, height: record.height, columnSpan: record.span,
          data: data.map { .set($0) } ?? .none)
        try importer.add(
          item, section: record.section ?? Importer.defaultSection, line: record.line)
        return nil
      } catch let error as LimitError {
        return BadRow(error, line: record.line, field: field(of: error))
      } catch let error as LayoutCacheError {
        guard case .limit(let limit) = error.code else { throw error }
        return BadRow(limit, line: record.line, field: field(of: limit))
      }
    }
  }

  /// The column or member that a value beyond a limit comes from.
  private func field(of error: LimitError) -> String? {
    switch error.subject.name {
    case "key": fields.key
    case "width": fields.width
    case "height": fields.height
    case "span": fields.span.name
    case "section key": fields.section.name
    case "data":
      switch fields.data {
      case .object(let name): name
      case .members(let names): names.joined(separator: ",")
      }
    default: nil
    }
  }

  /// Whether the dataset has items that a match without rows would remove.
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

  /// Whether an import without an accepted row leaves the dataset without items.
  private func emptiesDataset(of cache: LayoutCache) throws -> Bool {
    switch mode {
    case .replace: true
    case .match: try missing == .remove && hasItems(in: cache)
    default: false
    }
  }
}

/// Why a text that can be read is not imported.
package enum ItemImportError: Error, Hashable, Sendable {
  /// A row that states no proper item, where none may be left out.
  case badRow(BadRow)
  /// All rows were left out.
  case onlyBadRows(count: Int, first: BadRow)
  /// A replacement or match that accepts no row, and would leave the dataset without items: a
  /// truncated file more often than a wish.
  case wouldEmpty(skippedCount: Int)
}
