/// A read-only view of one committed state of the database.
package final class StoreReader {
  let db: Connection
  package let path: String
  package let hash: KeyedHash
  /// The bits to change in each incarnation; see `FileNumber`.
  let incarnationMask: Int64

  init(db: Connection, path: String, hash: KeyedHash, incarnationMask: Int64 = 0) {
    (self.db, self.path, self.hash, self.incarnationMask) = (db, path, hash, incarnationMask)
  }

  /// Runs SQLite's own check of the file.
  ///
  /// - Returns: The problems found; empty if the file is intact.
  /// - Complexity: Reads the whole file.
  package func integrityProblems() throws -> [String] {
    // The check also reports unreadable pages as damaged.
    _ = db.takeReadFailure()
    let rows = try Statement(once: "PRAGMA integrity_check", db).values(as: String.self)
    if let failure = db.takeReadFailure() { throw failure }
    return rows == ["ok"] ? [] : rows
  }

  /// Returns the size of the file's pages, in bytes.
  package func fileBytes() throws -> Int {
    let pages: Int = try db.pragma("page_count") ?? 0
    let pageSize: Int = try db.pragma("page_size") ?? 0
    return pages * pageSize
  }

  /// Returns the size of the file's pages in use, in bytes.
  package func usedBytes() throws -> Int {
    let free: Int = try db.pragma("freelist_count") ?? 0
    let pageSize: Int = try db.pragma("page_size") ?? 0
    return try fileBytes() - free * pageSize
  }

  func corrupt(_ detail: String) -> StoreError {
    StoreError(.corrupt(detail: detail), path: path)
  }
}

extension StoreReader {
  /// Returns the number of rows of a space's nodes, and their bytes, seals included. A node that
  /// is stored as a difference has two rows.
  package func nodeBytes(in space: NodeSpace) throws -> (count: Int, bytes: Int) {
    let statement = try Statement(
      "SELECT count(*), total(length(payload)) FROM nodes WHERE id BETWEEN ? AND ?", db)
    statement.bind([.number(space.ids.lowerBound), .number(space.ids.upperBound)])
    guard let row = try statement.next() else { return (0, 0) }
    var columns = RowColumns(row, "the count of nodes", path: path)
    return (try columns.next(), Int(try columns.next(Double.self)))
  }

  /// Returns the number of nodes in the file, of all owners.
  package func nodeCount() throws -> Int {
    try Statement("SELECT count(*) FROM nodes", db).value() ?? 0
  }
}
