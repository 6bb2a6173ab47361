package import LayoutCache
import LayoutGeometry

/// An import of items from a text into a dataset.
package struct ItemImport {
  /// How to handle an invalid row.
  package enum InvalidRows: String, CaseIterable, Sendable {
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
    /// The number of rows that were skipped because their key already existed.
    package var duplicateCount = 0
    /// The number of rows without a section, in a text with sections. Their items are in the
    /// section "main".
    package var sectionlessCount = 0
    /// Whether sections in the text were ignored, because the dataset derives its own.
    package var ignoresSections = false
    /// The number of items without a size in the text.
    package var sizelessCount = 0
    package var proportions = Proportions()
  }

  package let dataset: String
  package let mode: ImportMode
  package let format: TextFormat
  package let options: ImportOptions
  package let fields: FieldNames
  /// Whether both sides of items come from the text.
  let hasSizes: Bool
  package let invalidRows: InvalidRows
  package let duplicateRows: DuplicateRows
  /// How a match handles items that are missing in the text.
  package let missing: MissingItems
  /// Whether a replacement or match without an accepted row empties the dataset; otherwise it
  /// fails.
  package let allowsEmpty: Bool
  /// Whether rows without a value in the named field of the section are invalid.
  package let requiresSection: Bool

  package init(
    dataset: String, mode: ImportMode, format: TextFormat,
    options: ImportOptions = ImportOptions(),
    invalidRows: InvalidRows = .fail, duplicateRows: DuplicateRows = .fail,
    missing: MissingItems = .remove, allowsEmpty: Bool = false,
    requiresSection: Bool = false
  ) {
    (self.dataset, self.mode, self.format) = (dataset, mode, format)
    (self.options, fields) = (options, options.fields)
    hasSizes =
      FieldNames.constant(fields.width) == nil && FieldNames.constant(fields.height) == nil
    (self.invalidRows, self.duplicateRows, self.missing) = (invalidRows, duplicateRows, missing)
    self.allowsEmpty = allowsEmpty
    self.requiresSection = requiresSection && options.fields.section.isRequired
  }

  /// Imports a whole source.
  ///
  /// - Parameters:
  ///   - reject: Receives each skipped row, verbatim and with a line end, after the header of
  ///     CSV and TSV: together a text of the same format. Rows whose key the dataset has are the
  ///     last, once the import is committed.
  ///   - watchBuilding: Called repeatedly with the number of placed items and the total, once
  ///     they have been read; an error that it throws aborts the import.
  ///   - readPiece: Calls its argument with the next piece of the text; returns whether there
  ///     was one.
  /// - Throws: ``ImportError``, ``LayoutCacheError``; the errors of the closures. Nothing is
  ///   stored then.
  package func run(
    into cache: LayoutCache,
    rejecting reject: (([UInt8]) throws -> Void)? = nil,
    watchBuilding: @escaping (_ placedItems: Int, _ itemCount: Int) throws -> Void = { _, _ in },
    readPiece: ((UnsafeRawBufferPointer) throws -> Void) throws -> Bool
  ) throws -> Outcome {
    var skipped = SkippedRows()
    var sectionless = SectionlessRows(fields)
    var known: ImportedRows?
    var (sizelessCount, proportions) = (0, Proportions())
    let summary = try cache.importItems(
      into: dataset, mode: mode, onDuplicate: duplicateRows, missing: missing
    ) { importer in
      if let order = options.order { try importer.sort(by: order) }
      importer.watchBuilding(watchBuilding)
      known = importer.rows
      var reader = ItemReader(format: format, fields: fields, shape: options.shape, sniffs: true)
      var styles = StatedStyles()
      // Whether the dataset has its key is known at the end only.
      let keepsText = reject != nil && duplicateRows == .skip && mode == .append
      func take(_ event: ItemEvent?, _ text: UnsafeRawBufferPointer, _ isEnd: Bool) throws {
        if let event {
          do {
            let kept = keepsText ? line(of: text) : nil
            if try add(event, kept, to: &importer, &styles, &sectionless) {
              guard case .record(let record) = event else { return }
              if !record.hasSize { sizelessCount += 1 }
              addSize(of: record, to: &proportions)
              return
            }
          } catch let bad as RecordProblem {
            if invalidRows == .fail { throw ImportError(.invalidRow(bad.code), of: bad) }
            skipped.add(bad)
          }
        }
        try reject?(line(of: text, isEnd: isEnd))
      }
      while try readPiece({ try reader.consumeRecords($0, take) }) {}
      try requireItems(try finish(&reader, take), skipped, in: cache)
      if options.sortsSections { importer.sortSections(by: precedesAsSection) }
    }
    var outcome = Outcome(
      summary: summary, skipped: skipped, sectionlessCount: sectionless.count,
      sizelessCount: sizelessCount, proportions: proportions)
    // The items are imported, whether or not the dataset can be read.
    if sectionless.hasSections, (try? cache.dataset(dataset))?.order?.sections != nil {
      outcome.ignoresSections = true
      outcome.sectionlessCount = 0
    }
    switch duplicateRows {
    case .fail: break
    case .skip:
      let field = fields.key
      outcome.duplicateCount = summary.duplicateCount
      outcome.skipped.add(
        summary.duplicates.map { RecordProblem($0, field: field) }, count: summary.duplicateCount)
      if let reject { try known?.forEachKnown(reject) }
    case .update: outcome.updatedCount = summary.duplicateCount
    }
    return outcome
  }

  /// Ends the text. A text without rows results in an empty dataset: CSV and TSV then have a
  /// header, and NDJSON may be empty.
  func finish(
    _ reader: inout ItemReader, _ take: ItemReader.RecordBody
  ) throws -> ReadSummary {
    do {
      return try reader.finishRecords(take)
    } catch let error as ImportError {
      guard error.code == .emptyInput, format == .ndjson else { throw error }
      return ReadSummary()
    }
  }

  /// Returns a record as separate text. That of a JSON array becomes a line of NDJSON, with
  /// spaces for the line breaks, which are white space.
  private func line(of record: UnsafeRawBufferPointer, isEnd: Bool = true) -> [UInt8] {
    var line = Array(record)
    if format == .ndjson {
      line = line.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? 0x20 : $0 }
    }
    return isEnd ? line + [UInt8(ascii: "\n")] : line
  }

  /// Adds the size of an item whose sides are both in the text.
  func addSize(of record: ItemRecord, to proportions: inout Proportions) {
    guard record.hasSize, hasSizes else { return }
    proportions.add(width: record.width, height: record.height, scale: fields.scale)
  }

  /// Adds an event's item to the dataset.
  ///
  /// - Parameter text: The row, if it must be kept until the end.
  /// - Returns: Whether it is new, as far as the rows before it tell.
  /// - Throws: ``RecordProblem``; the errors of the importer.
  private func add(
    _ event: ItemEvent, _ text: [UInt8]?, to importer: inout Importer,
    _ styles: inout StatedStyles, _ sectionless: inout SectionlessRows
  ) throws -> Bool {
    switch event {
    case .invalid(let record): throw record.problems[0]
    case .record(let record):
      do {
        let item = try item(of: record)
        if let contradiction = styles.contradiction(of: record, field: fields.style.name) {
          throw contradiction
        }
        if requiresSection, record.section == nil {
          throw RecordProblem(sectionless: record, fields)
        }
        sectionless.add(record)
        let isFirst = try importer.add(
          item, section: record.section ?? Importer.defaultSection, style: record.style,
          line: record.line, text: text)
        return isFirst || duplicateRows == .update
      } catch let error as LimitError {
        throw RecordProblem(error, line: record.line, field: field(of: error))
      } catch let error as LayoutCacheError {
        guard case .limit(let limit) = error.code else { throw error }
        throw RecordProblem(limit, line: record.line, field: field(of: limit))
      }
    }
  }

  func item(of record: ItemRecord) throws(LimitError) -> UpsertedItem {
    let data = try record.data.map { json throws(LimitError) in try ItemData(json: json) }
    return try UpsertedItem(
      key: record.key, width: record.width, height: record.height, columnSpan: record.span,
      data: data.map { .set($0) } ?? .none, visibility: record.visibility)
  }

  /// Returns the column or member with a value that violates a limit.
  func field(of error: LimitError) -> String? {
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
      throw ImportError(
        code: .wouldEmpty(skippedCount: skipped.count), message: "no row was accepted")
    }
    if rowCount > 0, skipped.count == rowCount, let first = skipped.rows.first {
      throw ImportError(.noValidRow(count: rowCount), of: first)
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

/// Returns whether a section is before another by their keys: numbers by value, then texts, then
/// the section of rows without one.
private func precedesAsSection(_ key: String, _ other: String) -> Bool {
  func rank(_ key: String) -> (Int, Double) {
    if key == Importer.defaultSection { return (2, 0) }
    return FieldNames.constant(key).map { (0, $0) } ?? (1, 0)
  }
  let (first, second) = (rank(key), rank(other))
  return first == second ? key.utf8.lexicographicallyPrecedes(other.utf8) : first < second
}
