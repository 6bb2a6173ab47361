import LayoutCacheSQLite

/// The mark of a copy that nobody has opened yet: 1 as `user_version` in SQLite's header,
/// which is 0 otherwise.
///
/// A copy that goes on as a database of its own comes to other revisions of the same numbers
/// as the original, or as another copy of it, so its histories need other names. They are made
/// when it is opened and not when it is copied: one backup may be restored twice.
enum CopyMark {
  /// Marks a database that nobody has open, and gives it a write-ahead log as each has.
  ///
  /// - Throws: ``SQLiteError``.
  static func mark(fileAt path: String) throws {
    let db = try Connection(path: path, .readWrite, busyTimeout: 0)
    // In this order: what goes into the log is moved to the file when that is closed, where a
    // failure is not told.
    try db.tellingReadFailures {
      try db.execute("PRAGMA user_version = 1; PRAGMA journal_mode = WAL")
    }
    try db.close()
  }

  /// Takes the mark away, if there is one, and gives the datasets and the results new
  /// incarnations, in one transaction.
  ///
  /// Where the file can't be written the mark stays: nobody can bring it to another state then,
  /// and the incarnations hold.
  ///
  /// - Throws: ``SQLiteError``.
  static func resolve(_ db: Connection, path: String, hash: KeyedHash) throws {
    guard try isThere(db) else { return }
    do {
      try db.transaction(.immediate) {
        // Another process may have been first.
        guard try isThere(db) else { return }
        try StoreWriter(reader: StoreReader(db: db, path: path, hash: hash)).renewIncarnations()
        try db.execute("PRAGMA user_version = 0")
      }
    } catch let error as SQLiteError where error.code == SQLITE_READONLY {}
  }

  private static func isThere(_ db: Connection) throws -> Bool {
    try db.pragma("user_version") == 1
  }
}

extension StoreWriter {
  /// Gives each dataset and each result a new incarnation. Rows that are damaged stay so.
  fileprivate func renewIncarnations() throws {
    try renew("datasets") { (row: inout DatasetRow) in row.incarnation = .random() }
    try renew("layouts") { (row: inout LayoutRow) in row.result?.incarnation = .random() }
  }

  private func renew<R: SealedRow>(_ table: String, _ change: (inout R) -> Void) throws {
    for id: Int64 in try Statement(once: "SELECT id FROM \(table)", db).values() {
      do {
        guard var row: R = try reader.firstRow("WHERE id = ?", [.number(id)]) else { continue }
        change(&row)
        try store(row)
      } catch let error as StoreError {
        guard case .corrupt = error.code else { throw error }
      }
    }
  }
}
