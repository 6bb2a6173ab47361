import CSQLite

/// A hand-written storage of items: a table of rows with an index on the key.
package final class KeyedTable {
  /// An item; its size is in points.
  package struct Row {
    package var key: String
    package var width: Double
    package var height: Double

    package init(key: String, width: Double, height: Double) {
      self.key = key
      self.width = width
      self.height = height
    }
  }

  private let connection: SQLiteConnection
  private let insertion: OpaquePointer
  private let counting: OpaquePointer

  /// Creates the table in a new file.
  package init(path: String) throws {
    // SQLite's default; rows are only added.
    connection = try SQLiteConnection(path, synchronous: .normal, cacheKibibytes: 2000)
    try connection.execute(
      """
      CREATE TABLE rows (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, width REAL NOT NULL,
        height REAL NOT NULL)
      """)
    insertion = try connection.prepare("INSERT INTO rows (key, width, height) VALUES (?, ?, ?)")
    counting = try connection.prepare("SELECT count(*) FROM rows")
  }

  /// Inserts rows in one transaction.
  package func insert(_ rows: [Row]) throws {
    try connection.execute("BEGIN IMMEDIATE")
    for row in rows {
      sqlite3_bind_double(insertion, 2, row.width)
      sqlite3_bind_double(insertion, 3, row.height)
      try connection.run(insertion, binding: row.key, at: 1)
    }
    try connection.execute("COMMIT")
  }

  /// The number of rows.
  package func count() throws -> Int {
    defer { sqlite3_reset(counting) }
    guard sqlite3_step(counting) == SQLITE_ROW else { throw connection.error }
    return Int(sqlite3_column_int64(counting, 0))
  }
}
