import Foundation
import GRDB
package import SumTree

/// Blobs that do not fit into memory while they are sorted: a table in a temporary
/// database of its own, a file that vanishes with the value and with the process.
///
/// It has nothing to do with the store's file, so filling it holds up no writer.
/// Rows are ordered by (major, minor).
package final class ScratchTable {
  private let queue: DatabaseQueue

  /// Makes an empty table.
  package init() throws {
    // The empty path is SQLite's name for a temporary file.
    queue = try ScratchTable.mapped { try DatabaseQueue(path: "") }
    try database { db in
      try db.execute(
        sql: """
          PRAGMA journal_mode = OFF;
          CREATE TABLE scratch (
            major INTEGER NOT NULL, minor INTEGER NOT NULL, payload BLOB NOT NULL,
            PRIMARY KEY (major, minor)) WITHOUT ROWID
          """)
    }
  }

  /// Stores a blob.
  package func insert(major: Int, minor: Int, _ payload: ByteWriter) throws {
    try database { db in
      try db.cachedStatement(sql: "INSERT INTO scratch VALUES (?, ?, ?)")
        .execute(arguments: [major, minor, Data(payload.bytes)])
    }
  }

  /// Calls `body` with the blobs of one major number in the order of the minor one.
  package func forEach(
    major: Int, _ body: (inout ByteReader) throws -> Void
  ) throws {
    let minors = try database { db in
      try Int.fetchAll(
        db, sql: "SELECT minor FROM scratch WHERE major = ? ORDER BY minor",
        arguments: [major])
    }
    for minor in minors {
      guard let payload = try payload(major: major, minor: minor) else { continue }
      try ByteReader.read(payload, body)
    }
  }

  /// The blob at a place; `nil` where there is none.
  package func payload(major: Int, minor: Int) throws -> [UInt8]? {
    try database { db in
      let statement = try db.cachedStatement(
        sql: "SELECT payload FROM scratch WHERE major = ? AND minor = ?")
      return try Data.fetchOne(statement, arguments: [major, minor]).map { [UInt8]($0) }
    }
  }

  private func database<R>(_ body: (Database) throws -> R) throws -> R {
    try Self.mapped {
      try queue.writeWithoutTransaction { db in try db.tellingReadFailures { try body(db) } }
    }
  }

  private static func mapped<R>(_ body: () throws -> R) throws -> R {
    try StoreError.mapped(path: "the temporary database", busyTimeout: 0, body)
  }
}
