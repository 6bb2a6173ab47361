import LayoutCacheSQLite

/// The mark of a database, `user_version` in SQLite's header. It is 1 in a copy that no process
/// has opened yet, and 0 in files of earlier versions. Otherwise it is a random number from 2 on,
/// by which a running process detects that another database was copied over its file
/// (``FileWatch``).
///
/// A copy that cannot be written has a mark that stays. Each process that reads it, or a file in a
/// read-only folder, which other processes may replace, uses its own incarnations: the stored ones
/// with random bits changed.
///
/// A copy that is used as a separate database reaches the same revision numbers as the original,
/// or another copy, with other content, so its histories need new incarnations. They are assigned
/// on opening and not on copying, because one backup may be restored twice.
enum CopyMark {
  /// The mark of a copy.
  static let copy: UInt32 = 1

  /// A mark of a database.
  static func random() -> Int32 { .random(in: 2 ... .max) }

  /// The bits that this process changes in the incarnations of files that it can only read.
  static let incarnationMask = Int64.random(in: 1 ... .max)

  /// Marks a database that no process has open as a copy, and sets it to WAL mode.
  ///
  /// - Throws: ``SQLiteError``.
  static func mark(fileAt path: String) throws {
    let db = try Connection(path: path, .readWrite, busyTimeout: 0)
    // In this order: closing moves the log into the file, and does not report a failure of that.
    try db.reportingReadFailures {
      try db.execute("PRAGMA user_version = 1; PRAGMA journal_mode = WAL")
    }
    try db.close()
  }

  /// Turns a copy into a database: gives it a random mark, and its datasets and results new
  /// incarnations, in one transaction. A file of an earlier version only gets a mark.
  ///
  /// If the file cannot be written, the mark stays.
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
        // A copy of a cluster node's file follows no log.
        try db.execute("DELETE FROM replicas; DELETE FROM pins; DELETE FROM loading")
      }
      // From now on, a copy's mark in the file itself means that a copy was written over it.
      try db.execute("PRAGMA wal_checkpoint(PASSIVE)")
    } catch let error as SQLiteError where error.code == SQLITE_READONLY {}
  }

  static func mark(of db: Connection) throws -> UInt32 {
    UInt32(truncatingIfNeeded: try db.pragma("user_version", as: Int64.self) ?? 0)
  }
}

extension StoreWriter {
  /// Gives each dataset and each result a new incarnation. Skips damaged rows.
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
