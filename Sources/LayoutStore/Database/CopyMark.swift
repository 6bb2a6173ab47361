import LayoutCacheSQLite

/// The mark of a database, `user_version` in SQLite's header: 1 in a copy that no process has
/// opened yet, otherwise a random number from 2 on, by which a running process tells its database
/// from another that is copied over it (``FileWatch``); 0 in files of earlier versions.
///
/// A copy that continues as its own database comes to other revisions of the same numbers
/// as the original, or as another copy of it, so its histories need other names. They are made
/// when it is opened and not when it is copied: one backup may be restored twice.
enum CopyMark {
  /// The mark of a copy.
  static let copy: UInt32 = 1

  /// A mark of a database.
  static func random() -> Int32 { .random(in: 2 ... .max) }

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

  /// Gives a copy a mark as a database, and its datasets and results new incarnations, in one
  /// transaction. A file of an earlier version gets its mark.
  ///
  /// Where the file can't be written the mark stays: nobody can bring it to another state then,
  /// and the incarnations hold.
  ///
  /// - Throws: ``SQLiteError``.
  static func resolve(_ db: Connection, path: String, hash: KeyedHash) throws {
    if try mark(of: db) > copy { return }
    do {
      try db.transaction(.immediate) {
        // Another process may have been first.
        let mark = try mark(of: db)
        if mark > copy { return }
        try db.execute("PRAGMA user_version = \(random())")
        if mark != copy { return }
        try StoreWriter(reader: StoreReader(db: db, path: path, hash: hash)).renewIncarnations()
        // What was a node's is its own database.
        try db.execute("DELETE FROM replicas; DELETE FROM pins")
      }
      // From now on a mark of a copy in the file itself says that one was copied over it.
      try db.execute("PRAGMA wal_checkpoint(PASSIVE)")
    } catch let error as SQLiteError where error.code == SQLITE_READONLY {}
  }

  static func mark(of db: Connection) throws -> UInt32 {
    UInt32(truncatingIfNeeded: try db.pragma("user_version", as: Int64.self) ?? 0)
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
