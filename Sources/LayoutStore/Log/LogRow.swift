import Foundation
import GRDB
import GRDBSQLite

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

  package init(batches: Int, operations: Int, bytes: Int) {
    self.batches = batches
    self.operations = operations
    self.bytes = bytes
  }

  package static let none = LogExtent(batches: 0, operations: 0, bytes: 0)
}

extension LogRow {
  func checksum(_ hash: KeyedHash) -> Int64 {
    var checksum = RowChecksum()
    checksum.add(dataset)
    checksum.add(Int64(revision))
    checksum.add(Int64(operations))
    checksum.add(payload)
    return checksum.value(hash)
  }

  /// Reads a row and checks it.
  ///
  /// - Throws: ``StoreError`` with `corrupt`.
  fileprivate init(_ row: Row, reader: StoreReader) throws {
    let revision = Int64.fromDatabaseValue(row[1])
    var columns = RowColumns(
      row, "log entry \(revision.map(String.init) ?? "without a revision")", path: reader.path)
    let counts: ClosedRange<Int64> = 0...Int64(Int.max)
    self.init(
      dataset: try columns.next(), revision: Int(try columns.nextNumber(in: counts)),
      operations: Int(try columns.nextNumber(in: counts)),
      payload: [UInt8](try columns.next(Data.self)))
    guard try columns.next() == checksum(reader.hash) else {
      throw columns.corrupt("the row has a wrong checksum")
    }
  }
}

extension StoreReader {
  /// The revision of a dataset's last log entry; `nil` without one.
  package func lastLoggedRevision(of dataset: Int64) throws -> Int? {
    let statement = try db.cachedStatement(
      sql: "SELECT max(revision) FROM log WHERE dataset = ?")
    return try Int.fetchOne(statement, arguments: [dataset])
  }

  /// Calls `body` with the log entries behind a revision, oldest first.
  ///
  /// - Throws: ``StoreError`` with `corrupt` where an entry is damaged, or one
  ///   between the first and the last is missing; what `body` throws.
  package func forEachLogRow(
    of dataset: Int64, after revision: Int, _ body: (LogRow) throws -> Void
  ) throws {
    let statement = try db.cachedStatement(
      sql: """
        SELECT dataset, revision, operations, payload, checksum FROM log
        WHERE dataset = ? AND revision > ? ORDER BY revision
        """)
    var expected = revision + 1
    let rows = try Row.fetchCursor(statement, arguments: [dataset, revision])
    while let row = try rows.next() {
      let entry = try LogRow(row, reader: self)
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
  ///
  /// Stepped by hand, as reading a node is, and for the same reason.
  package func append(_ row: LogRow) throws {
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO log (dataset, revision, operations, payload, checksum)
        VALUES (?, ?, ?, ?, ?)
        """
    ).sqliteStatement
    sqlite3_reset(statement)
    sqlite3_bind_int64(statement, 1, row.dataset)
    sqlite3_bind_int64(statement, 2, Int64(row.revision))
    sqlite3_bind_int64(statement, 3, Int64(row.operations))
    sqlite3_bind_int64(statement, 5, row.checksum(reader.hash))
    let code = row.payload.withUnsafeBytes { bytes in
      sqlite3_bind_blob64(statement, 4, bytes.baseAddress, UInt64(bytes.count), nil)
      return sqlite3_step(statement)
    }
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
    try check(code)
  }

  /// Deletes a dataset's log entries up to a revision.
  package func cutLog(of dataset: Int64, through revision: Int) throws {
    try execute("DELETE FROM log WHERE dataset = ? AND revision <= ?", [dataset, revision])
  }
}
