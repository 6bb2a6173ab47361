import CSQLite

/// A hand-written solution on SQLite: one row per item, with an index on its position.
///
/// Lengths are integers, in any unit.
package final class HandWrittenSQL {
  /// An item with its position.
  package struct Row {
    package var key: String
    package var column: Int
    /// The start of the item.
    package var y: Int64
    package var height: Int64

    package init(key: String, column: Int, y: Int64, height: Int64) {
      self.key = key
      self.column = column
      self.y = y
      self.height = height
    }
  }

  private let connection: SQLiteConnection
  private let columns: Int
  private let insertion: OpaquePointer
  private let range: OpaquePointer
  private let position: OpaquePointer
  private let shift: OpaquePointer
  private let growth: OpaquePointer

  /// Opens a file, creating the table in a new one.
  ///
  /// - Parameters:
  ///   - columns: The columns of the waterfall.
  ///   - cacheKibibytes: The memory for pages; as much as the engine has for nodes.
  package init(path: String, columns: Int, cacheKibibytes: Int) throws {
    self.columns = columns
    connection = try SQLiteConnection(
      path, synchronous: .normal, cacheKibibytes: cacheKibibytes)
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS items (
        id INTEGER PRIMARY KEY, "column" INTEGER NOT NULL, y INTEGER NOT NULL,
        height INTEGER NOT NULL, key TEXT NOT NULL);
      CREATE INDEX IF NOT EXISTS items_by_position ON items ("column", y)
      """)
    insertion = try connection.prepare(
      #"INSERT INTO items (id, "column", y, height, key) VALUES (?, ?, ?, ?, ?)"#)
    range = try connection.prepare(Self.rangeSQL)
    position = try connection.prepare(#"SELECT "column", y FROM items WHERE id = ?"#)
    shift = try connection.prepare(
      #"UPDATE items SET y = y + ?1 WHERE "column" = ?2 AND y > ?3"#)
    growth = try connection.prepare("UPDATE items SET height = height + ?1 WHERE id = ?2")
  }

  // Items have no gaps, so the first intersecting item is the last one that starts at or above the
  // top. The comparison with the item's end excludes it if the viewport is after the column's end.
  private static let rangeSQL =
    """
    SELECT id, y, height, key FROM items
    WHERE "column" = ?1 AND y < ?3 AND y + height > ?2 AND y >= coalesce(
      (SELECT y FROM items WHERE "column" = ?1 AND y <= ?2 ORDER BY y DESC LIMIT 1), 0)
    ORDER BY y
    """

  /// The statements that read the items intersecting a viewport of all columns, for the SQLite
  /// shell.
  package static func statements(columns: Int, viewport: Range<Int64>) -> String {
    (0..<columns).map { column in
      var sql = rangeSQL + ";\n"
      for (number, value) in [
        (1, Int64(column)), (2, viewport.lowerBound), (3, viewport.upperBound),
      ] {
        sql = sql.split(separator: "?\(number)", omittingEmptySubsequences: false)
          .joined(separator: String(value))
      }
      return sql
    }.joined()
  }

  /// Inserts items in one transaction, numbered from 0.
  ///
  /// - Parameter row: The item of a number.
  package func insert(count: Int, row: (Int) throws -> Row) throws {
    try connection.execute("BEGIN IMMEDIATE")
    for number in 0..<count {
      let row = try row(number)
      sqlite3_bind_int64(insertion, 1, Int64(number))
      sqlite3_bind_int64(insertion, 2, Int64(row.column))
      sqlite3_bind_int64(insertion, 3, row.y)
      sqlite3_bind_int64(insertion, 4, row.height)
      try connection.run(insertion, binding: row.key, at: 5)
    }
    try connection.execute("COMMIT")
  }

  /// Reads the items that intersect a viewport of all columns.
  ///
  /// - Parameter viewport: Half-open; items that only touch it are not read.
  /// - Returns: The number of items.
  package func count(in viewport: Range<Int64>) throws -> Int {
    var count = 0
    for column in 0..<columns {
      sqlite3_bind_int64(range, 1, Int64(column))
      sqlite3_bind_int64(range, 2, viewport.lowerBound)
      sqlite3_bind_int64(range, 3, viewport.upperBound)
      var code = sqlite3_step(range)
      while code == SQLITE_ROW {
        // Reads the values that an answer would contain.
        _ = sqlite3_column_int64(range, 0)
        _ = sqlite3_column_int64(range, 1)
        _ = sqlite3_column_int64(range, 2)
        _ = sqlite3_column_text(range, 3)
        count += 1
        code = sqlite3_step(range)
      }
      sqlite3_reset(range)
      if code != SQLITE_DONE { throw connection.error }
    }
    return count
  }

  /// Changes an item's height and moves the rest of its column, in one transaction.
  ///
  /// - Parameters:
  ///   - number: The item's number.
  ///   - delta: The increase in height.
  package func resize(_ number: Int, by delta: Int64) throws {
    try connection.execute("BEGIN IMMEDIATE")
    sqlite3_bind_int64(position, 1, Int64(number))
    guard sqlite3_step(position) == SQLITE_ROW else { throw connection.error }
    let column = sqlite3_column_int64(position, 0)
    let y = sqlite3_column_int64(position, 1)
    sqlite3_reset(position)
    sqlite3_bind_int64(shift, 1, delta)
    sqlite3_bind_int64(shift, 2, column)
    sqlite3_bind_int64(shift, 3, y)
    try connection.run(shift)
    sqlite3_bind_int64(growth, 1, delta)
    sqlite3_bind_int64(growth, 2, Int64(number))
    try connection.run(growth)
    try connection.execute("COMMIT")
  }

  /// Checkpoints the write-ahead log.
  package func checkpoint() throws { try connection.checkpoint() }
}
