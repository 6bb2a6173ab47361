import CSQLite

/// The minimum cost of a durable change: one new row of 256 bytes in a separate transaction,
/// with prepared statements.
package final class BareCommits {
  private static let rowBytes = 256

  private let connection: SQLiteConnection
  private let begin: OpaquePointer
  private let insert: OpaquePointer
  private let commitTransaction: OpaquePointer
  private let row = [UInt8](repeating: 0x5A, count: rowBytes)

  /// Opens a file, creating the table in a new one.
  package init(path: String, synchronous: SynchronousLevel) throws {
    // SQLite's default; appending needs no larger cache.
    connection = try SQLiteConnection(path, synchronous: synchronous, cacheKibibytes: 2000)
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY, payload BLOB NOT NULL)")
    begin = try connection.prepare("BEGIN IMMEDIATE")
    insert = try connection.prepare("INSERT INTO log (payload) VALUES (?)")
    commitTransaction = try connection.prepare("COMMIT")
  }

  /// Commits one row.
  package func commit() throws {
    try connection.run(begin)
    try row.withUnsafeBytes { bytes in
      // The statement is stepped before the bytes are released: no copy is needed.
      sqlite3_bind_blob(insert, 1, bytes.baseAddress, Int32(bytes.count), nil)
      try connection.run(insert)
    }
    try connection.run(commitTransaction)
  }

  /// Checkpoints the write-ahead log.
  package func checkpoint() throws { try connection.checkpoint() }
}
