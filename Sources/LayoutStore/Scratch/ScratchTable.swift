import Foundation
import GRDB
import GRDBSQLite
package import SumTree

/// Blobs that do not fit into memory while one transaction sorts them: a table of
/// the writer's temporary database, which is a file of its own that vanishes with
/// the process.
///
/// Rows are ordered by (major, minor). The table is dropped by ``drop()``, and by
/// the transaction's rollback.
package final class ScratchTable {
  private let db: Database
  private let name: String

  /// Makes the table.
  ///
  /// - Parameter name: Its name: one of the program's own words, not user input.
  package init(_ name: StaticString, in writer: StoreWriter) throws {
    self.name = "temp.scratch_\(name)"
    db = writer.db
    try db.execute(
      sql: """
        CREATE TABLE \(self.name) (
          major INTEGER NOT NULL, minor INTEGER NOT NULL, payload BLOB NOT NULL,
          PRIMARY KEY (major, minor)) WITHOUT ROWID
        """)
  }

  /// Stores a blob.
  package func insert(major: Int, minor: Int, _ payload: ByteWriter) throws {
    let statement = try db.cachedStatement(sql: "INSERT INTO \(name) VALUES (?, ?, ?)")
      .sqliteStatement
    sqlite3_reset(statement)
    sqlite3_bind_int64(statement, 1, Int64(major))
    sqlite3_bind_int64(statement, 2, Int64(minor))
    let code = payload.bytes.withUnsafeBytes { bytes in
      sqlite3_bind_blob(statement, 3, bytes.baseAddress, Int32(bytes.count), nil)
      return sqlite3_step(statement)
    }
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
    guard code == SQLITE_DONE else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
    }
  }

  /// Calls `body` with the blobs of one major number in the order of the minor one.
  package func forEach(
    major: Int, _ body: (inout ByteReader) throws -> Void
  ) throws {
    let rows = try Row.fetchCursor(
      db, sql: "SELECT payload FROM \(name) WHERE major = ? ORDER BY minor", arguments: [major])
    while let row = try rows.next() {
      try row.withUnsafeData(atIndex: 0) { data in
        try data?.withUnsafeBytes { bytes in
          var reader = ByteReader(bytes)
          try body(&reader)
        }
      }
    }
  }

  /// The blob at a place; `nil` where there is none.
  package func payload(major: Int, minor: Int) throws -> [UInt8]? {
    let statement = try db.cachedStatement(
      sql: "SELECT payload FROM \(name) WHERE major = ? AND minor = ?")
    return try Data.fetchOne(statement, arguments: [major, minor]).map { [UInt8]($0) }
  }

  /// Drops the table.
  package func drop() throws {
    try db.execute(sql: "DROP TABLE \(name)")
  }
}
