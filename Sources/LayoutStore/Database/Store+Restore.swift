import LayoutCacheSQLite
import Migrations

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Store {
  /// Puts a copy of a database in place of another, or where there is none. It is marked as a copy
  /// (see ``FileNumber``).
  ///
  /// A killed process leaves the previous database, or the new one, and possibly a file with the
  /// suffix `-partial`, which must be removed before the next attempt.
  ///
  /// - Parameters:
  ///   - backup: A database, with its write-ahead log if there is one. It is not changed.
  ///   - path: The database to replace. A file that cannot be opened is kept, with its log, as
  ///     `PATH.damaged-TIME`, in seconds since 1970.
  ///   - progress: As for ``backup(to:progress:)``.
  /// - Returns: The new file's size in bytes.
  /// - Throws: ``StoreError``: `isOpen` if a store has the database open; `exists` if both are the
  ///   same file; a failure of either file; errors of `progress`. The database is unchanged then.
  package static func restore(
    from backup: String, to path: String, _ options: StoreOptions,
    progress: (_ bytes: Int, _ total: Int) throws -> Void
  ) throws -> Int {
    try checkPlace(of: backup, StoreOptions(createsFile: false))
    try checkPlace(of: path, StoreOptions())
    let file = resolved(path)
    if FileIdentity(at: backup) == FileIdentity(at: file) {
      throw StoreError(.exists, path: path)
    }
    guard let lock = try FileLock(file, creates: true, asReadableAs: backup) else {
      throw StoreError(.readOnly, path: path)
    }
    guard lock.exclude() else { throw StoreError(.isOpen, path: path) }
    // Also keeps the lock until then: Swift may release an object after its last use.
    defer { lock.release() }
    let copy = try PartialFile(
      file, asReadableAs: FileIdentity(at: file) == nil ? backup : file, replaces: true)
    do {
      try StoreError.mapped(path: backup, busyTimeout: options.busyTimeout) {
        try withSource(at: backup, options) {
          try self.copy($0, into: copy, options.random, progress)
        }
      }
      try copy.sync()
      try StoreError.mapped(path: path, busyTimeout: options.busyTimeout) {
        try retire(file, options)
      }
      return try copy.replace()
    } catch {
      copy.remove()
      throw error
    }
  }

  /// Runs `body` on a connection to the database that is restored.
  private static func withSource(
    at path: String, _ options: StoreOptions, _ body: (Connection) throws -> Void
  ) throws {
    func use(_ db: Connection) throws {
      try WriteAheadIndex.opening {
        try db.reportingReadFailures {
          // The user states that both belong together.
          try checkLog(of: db, at: path, from: .copies)
          _ = try hashOfPresentSchema(db, path, StoreOptions(createsFile: false))
        }
      }
      try body(db)
      try db.close()
    }
    let db = try Connection(path: path, .readWriteExisting, busyTimeout: options.busyTimeout)
    let hasLog = db.filePath.map { fileBytes("\($0)-wal") > 0 } ?? false
    db.keepLogOnClose()
    do {
      let lock = try lock(db, at: path, options)
      // Without a log there was none, and SQLite removes the one that it creates.
      if !hasLog, lock?.isShared == false { db.keepLogOnClose(false) }
      try withExtendedLifetime(lock) { try use(db) }
    } catch let error as SQLiteError
      where [SQLITE_READONLY, SQLITE_CANTOPEN].contains(error.code) && !hasLog
    {
      try db.close()
      try use(Connection(path: path, .fixed, busyTimeout: options.busyTimeout))
    }
  }

  /// Lets SQLite move the log of a database that is about to be replaced into its file, so that it
  /// is whole without the log. Otherwise renames the files.
  private static func retire(_ file: String, _ options: StoreOptions) throws {
    // SQLite would play back a journal that remains into the new file.
    let ends = ["", "-wal", "-journal"]
    if ends.allSatisfy({ fileBytes(file + $0) == 0 }) { return }
    do {
      let db = try Connection(
        path: file, .readWriteExisting, busyTimeout: options.busyTimeout)
      db.keepLogOnClose()
      try checkLog(of: db, at: file, from: .thisFile)
      if try isOurs(db), try db.pragma("journal_mode = DELETE") == "delete" {
        return try db.close()
      }
    } catch let error as SQLiteError
      where [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL].contains(error.code)
    {
      throw error.code == SQLITE_FULL ? error : StoreError(.isOpen, path: file)
    } catch is SQLiteError {
    } catch is StoreError {}
    var seconds = time(nil)
    while FileIdentity(at: "\(file).damaged-\(seconds)") != nil { seconds += 1 }
    // The file first: without its log, it would be opened at an earlier state.
    for end in ends where FileIdentity(at: file + end) != nil {
      if rename(file + end, "\(file).damaged-\(seconds)\(end)") != 0 {
        throw StoreError(.inputOutput(detail: String(cString: strerror(errno))), path: file)
      }
    }
  }

  /// Returns the path without symbolic links, as SQLite names a file's companions.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }
}
