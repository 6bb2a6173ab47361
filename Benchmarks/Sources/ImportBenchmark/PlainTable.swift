import CSQLite

/// What a programmer would write by hand: a table of rows with an index on the key.
final class PlainTable {
  private var database: OpaquePointer?

  init(path: String) throws {
    guard sqlite3_open(path, &database) == SQLITE_OK else {
      throw BenchmarkError(message: "cannot open \(path)")
    }
    try execute("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = NORMAL")
    try execute(
      """
      CREATE TABLE rows (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, width REAL NOT NULL,
        height REAL NOT NULL)
      """)
  }

  deinit { sqlite3_close(database) }

  /// Inserts the rows in one transaction.
  func insert(_ rows: [Row]) throws {
    try execute("BEGIN IMMEDIATE")
    var statement: OpaquePointer?
    sqlite3_prepare_v2(
      database, "INSERT INTO rows (key, width, height) VALUES (?, ?, ?)", -1, &statement, nil)
    // The key's bytes are read before the call returns; SQLite copies them.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for row in rows {
      sqlite3_bind_text(statement, 1, row.key, -1, transient)
      sqlite3_bind_double(statement, 2, row.width)
      sqlite3_bind_double(statement, 3, row.height)
      guard sqlite3_step(statement) == SQLITE_DONE else {
        throw BenchmarkError(message: "an insert failed")
      }
      sqlite3_reset(statement)
    }
    sqlite3_finalize(statement)
    try execute("COMMIT")
  }

  private func execute(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw BenchmarkError(message: sql)
    }
  }
}
