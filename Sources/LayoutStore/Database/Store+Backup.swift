import LayoutCacheSQLite

extension Store {
  /// Copies one committed state of the database into a new file, which is marked as a copy (see
  /// ``FileNumber``). Reads and writes continue in the meantime; the write-ahead log grows by the new
  /// commits.
  ///
  /// The file appears under its name once it is complete and synced to disk. Until then it has
  /// the suffix `-partial`.
  ///
  /// - Parameters:
  ///   - path: The path of the new file.
  ///   - progress: Receives the number of bytes written, and the approximate total. Throwing
  ///     cancels the backup.
  /// - Returns: The copy's size in bytes.
  /// - Throws: ``StoreError``: `exists` if a file exists at the path, or a failure of either
  ///   file; errors of `progress`. The copy is removed then.
  /// - Complexity: O(file), in constant memory.
  package func backup(
    to path: String, progress: (_ bytes: Int, _ total: Int) throws -> Void
  ) throws -> Int {
    try call { _ in
      let copy = try PartialFile(path, asReadableAs: self.path, options.files)
      do {
        try StoreError.mapped(path: self.path, busyTimeout: options.busyTimeout) {
          // A separate connection: copying takes long, and readers are few.
          let db = try Connection.open(
            self.path, watch.isFixed ? .fixed : .readOnly, watch, busyTimeout: options.busyTimeout)
          try Self.copy(db, into: copy, options.random, progress)
        }
        return try copy.publish()
      } catch {
        copy.remove()
        throw error
      }
    }
  }

  /// Copies what a connection sees, and marks the copy.
  static func copy(
    _ db: Connection, into copy: PartialFile, _ random: RandomSource,
    _ progress: (_ bytes: Int, _ total: Int) throws -> Void
  ) throws {
    try db.reportingReadFailures {
      // The pragma applies to the copy too. A small cache is flushed often, so that progress is
      // visible.
      try db.execute("PRAGMA cache_size = -256")
      let pages = try db.pragma("page_count", as: Int.self) ?? 0
      let freePages = try db.pragma("freelist_count", as: Int.self) ?? 0
      let total = (pages - freePages) * (try db.pragma("page_size") ?? 0)
      do {
        try db.watched(by: { try progress(min(copy.byteCount, total), total) }) {
          try Statement(once: "VACUUM INTO ?", db).run([.text(copy.partialPath)])
        }
      } catch let error as SQLiteError {
        let error = db.told(error)
        if try error.isOfWrittenFile(besides: db) { try copy.mapped { throw error.asUnread } }
        throw error
      }
    }
    try copy.mapped { try FileNumber.markCopy(at: copy.partialPath, random) }
  }
}

extension SQLiteError {
  /// Returns whether a statement that reads one file and writes another failed because of the
  /// written one.
  ///
  /// - Parameter db: The connection to the file that is read.
  fileprivate func isOfWrittenFile(besides db: Connection) throws -> Bool {
    switch code {
    case SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM: true
    case SQLITE_IOERR: extendedCode != Connection.readFailed
    // The written file is read too, and the error does not tell which file it means.
    case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_NOTADB:
      try Statement(once: "PRAGMA integrity_check(1)", db).values() == ["ok"]
    default: false
    }
  }

  /// This error, as a read failure of a new file, which cannot be corrupt.
  fileprivate var asUnread: SQLiteError {
    switch code {
    case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_NOTADB:
      SQLiteError(Connection.readFailed, message: message)
    default: self
    }
  }
}
