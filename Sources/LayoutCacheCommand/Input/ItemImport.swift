import LayoutCache
import LayoutGeometry
import TextFormats

/// Reads items from a text into a dataset.
struct ItemImport {
  /// What happens to a row that states no proper item.
  enum InvalidRows: String, CaseIterable {
    /// The import is given up.
    case fail
    /// The row is left out and counted.
    case skip
  }

  /// What an import came to.
  struct Outcome {
    var summary: ImportSummary
    var skipped: SkippedRows
  }

  var dataset: String
  var mode: ImportMode
  var format: TextFormat
  var fields = FieldNames()
  var invalidRows = InvalidRows.fail

  /// Imports all that a source gives.
  ///
  /// - Parameters:
  ///   - name: The source's name in messages.
  ///   - readPiece: Calls its argument with the next piece of the text; returns
  ///     whether there was one.
  /// - Throws: ``Failure`` naming the source and the line; nothing is stored then.
  func run(
    into cache: LayoutCache, from name: String,
    readPiece: ((UnsafeRawBufferPointer) throws -> Void) throws -> Bool
  ) throws -> Outcome {
    var skipped = SkippedRows()
    do {
      let summary = try cache.importItems(into: dataset, mode: mode) { importer in
        var reader = ItemReader(format: format, fields: fields)
        func take(_ event: ItemEvent) throws {
          guard let bad = try add(event, to: &importer) else { return }
          if invalidRows == .fail { throw Failure(bad, in: name) }
          skipped.add(bad)
        }
        while try readPiece({ try reader.consume($0, take) }) {}
        let summary = try reader.finish(take)
        try requireItems(summary, skipped, in: name)
      }
      return Outcome(summary: summary, skipped: skipped)
    } catch let error as FormatError {
      throw Failure(error, in: name, format: format)
    } catch let error as LayoutCacheError {
      guard case .duplicateKey = error.code else { throw error }
      throw Failure(.badInput, "\(name), \(error); keys are unique in a dataset")
    }
  }

  /// Adds an event's item to the dataset.
  ///
  /// - Returns: What is wrong with the row, if anything is.
  private func add(_ event: ItemEvent, to importer: inout Importer) throws -> BadRow? {
    switch event {
    case .problem(let problem): return BadRow(problem)
    case .record(let record):
      do {
        let item = try Item(
          key: record.key, width: record.width, height: record.height,
          columnSpan: record.span ?? 1)
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
    default: nil
    }
  }

  private func requireItems(
    _ summary: ReadSummary, _ skipped: SkippedRows, in name: String
  ) throws {
    let rowCount = summary.recordCount + summary.problemCount
    if rowCount == 0 {
      throw Failure(.badInput, "\(name) holds no items, only a header; nothing was stored")
    }
    if skipped.count == rowCount, let first = skipped.rows.first {
      throw Failure(
        .badInput,
        """
        \(name) holds no valid item: all rows (\(rowCount)) were skipped, the first for line \
        \(first.line): \(first.reason); nothing was stored
        """)
    }
  }
}

extension Failure {
  /// A row that no import can take.
  fileprivate init(_ row: BadRow, in name: String) {
    self.init(
      .badInput,
      """
      \(name), line \(row.line): \(row.reason); correct it, or skip such rows with \
      --on-invalid skip
      """)
  }

  /// A text that can't be read on.
  fileprivate init(_ error: FormatError, in name: String, format: TextFormat) {
    let advice =
      switch error.code {
      case .emptyInput where format == .ndjson: "; it needs an object a line"
      case .emptyInput: "; it needs a header row and a row for each item"
      case .notText: "; is it \(format.rawValue.uppercased())?"
      case .missingColumn:
        "; say which to read with --key, --width, --height, --section or --span"
      case .recordTooLong: "; is a quote not closed?"
      default: ""
      }
    self.init(.badInput, "\(name), \(error)\(advice)")
  }
}
