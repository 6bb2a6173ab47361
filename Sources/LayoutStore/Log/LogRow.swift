import Foundation
import GRDB

/// A row of `log`: one committed batch.
package struct LogRow: Sendable {
  package let dataset: Int64
  /// The dataset's revision after the batch.
  package let revision: Int
  /// How many operations the batch counts for.
  package let operations: Int
  /// The batch, as the engine encodes it.
  package let payload: [UInt8]

  package init(dataset: Int64, revision: Int, operations: Int, payload: [UInt8]) {
    self.dataset = dataset
    self.revision = revision
    self.operations = operations
    self.payload = payload
  }
}

/// What the rows of a stretch of the log come to.
package struct LogExtent: Hashable, Sendable {
  package var batches: Int
  package var operations: Int
  package var bytes: Int

  package static let none = LogExtent(batches: 0, operations: 0, bytes: 0)
}

extension LogRow: SealedRow {
  static let table = SealedTable(
    "log", of: "log entry", number: (1, "revision"),
    ["dataset", "revision", "operations", "payload"])

  var values: [ColumnValue] {
    [
      .number(dataset), .number(Int64(revision)), .number(Int64(operations)), .bytes(payload),
    ]
  }

  init(_ columns: inout RowColumns) throws {
    self.init(
      dataset: try columns.nextID(), revision: try columns.nextRevision(),
      operations: try columns.nextCount(), payload: [UInt8](try columns.next(Data.self)))
  }
}

extension StoreReader {
  /// The revision of a dataset's last log entry; `nil` without one.
  package func lastLoggedRevision(of dataset: Int64) throws -> Int? {
    let statement = try db.cachedStatement(
      sql: "SELECT max(revision) FROM log WHERE dataset = ?")
    guard let revision = try Int64.fetchOne(statement, arguments: [dataset]) else { return nil }
    guard (0...RowColumns.numberMax).contains(revision) else {
      throw corrupt("log entry \(revision) of dataset \(dataset) is out of range")
    }
    return Int(revision)
  }

  /// Calls `body` with the log entries behind a revision, oldest first.
  ///
  /// - Throws: ``StoreError`` with `corrupt` where an entry is damaged, or one
  ///   between the first and the last is missing; what `body` throws.
  package func forEachLogRow(
    of dataset: Int64, after revision: Int, _ body: (LogRow) throws -> Void
  ) throws {
    var expected = revision + 1
    let rows = try rows(
      "WHERE dataset = ? AND revision > ? ORDER BY revision", [dataset, revision],
      of: LogRow.self)
    while let entry = try rows.next() {
      guard entry.revision == expected else {
        throw corrupt("log entry \(expected) of dataset \(dataset) is missing")
      }
      expected += 1
      try body(entry)
    }
  }

  /// What the log entries behind a revision come to.
  ///
  /// - Complexity: O(entries).
  package func logExtent(of dataset: Int64, after revision: Int) throws -> LogExtent {
    let statement = try db.cachedStatement(
      sql: """
        SELECT count(*), coalesce(sum(operations), 0), coalesce(sum(length(payload)), 0)
        FROM log WHERE dataset = ? AND revision > ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [dataset, revision]) else {
      return .none
    }
    var columns = RowColumns(row, "the extent of the log", path: path)
    return LogExtent(
      batches: try columns.next(), operations: try columns.next(), bytes: try columns.next())
  }
}

extension StoreWriter {
  /// Appends a batch to the log: the one row that a commit writes.
  package func append(_ row: LogRow) throws { try store(row) }

  /// Deletes a dataset's log entries up to a revision.
  package func cutLog(of dataset: Int64, through revision: Int) throws {
    try run(
      "DELETE FROM log WHERE dataset = ? AND revision <= ?",
      [.number(dataset), .number(Int64(revision))])
  }
}
