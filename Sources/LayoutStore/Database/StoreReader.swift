import GRDB

/// One committed state of the database; it cannot write.
package final class StoreReader {
  let db: Database
  package let path: String
  package let hash: KeyedHash

  init(db: Database, path: String, hash: KeyedHash) {
    self.db = db
    self.path = path
    self.hash = hash
  }

  /// Runs SQLite's own check of the file.
  ///
  /// - Returns: The problems found; empty where the file is sound.
  /// - Complexity: Reads the whole file.
  package func integrityProblems() throws -> [String] {
    // It lists the pages that it cannot read among those that are damaged.
    _ = db.takeReadFailure()
    let rows = try String.fetchAll(db, sql: "PRAGMA integrity_check")
    if let failure = db.takeReadFailure() { throw failure }
    return rows == ["ok"] ? [] : rows
  }

  /// The size of the file's pages in use, in bytes.
  package func fileBytes() throws -> Int {
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
    return pages * pageSize
  }

  func corrupt(_ detail: String) -> StoreError {
    StoreError(.corrupt(detail: detail), path: path)
  }
}

extension StoreReader {
  /// The rows of a space's nodes, and the bytes in them, seals included. A node that is
  /// stored as a difference has two.
  package func nodeBytes(in space: NodeSpace) throws -> (count: Int, bytes: Int) {
    let row = try Row.fetchOne(
      db, sql: "SELECT count(*), total(length(payload)) FROM nodes WHERE id BETWEEN ? AND ?",
      arguments: [space.ids.lowerBound, space.ids.upperBound])
    guard let row else { return (0, 0) }
    var columns = RowColumns(row, "the count of nodes", path: path)
    return (try columns.next(), Int(try columns.next(Double.self)))
  }

  /// The number of nodes in the file, whoever they belong to.
  package func nodeCount() throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM nodes") ?? 0
  }
}
