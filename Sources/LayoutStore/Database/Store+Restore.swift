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
  ///   same file; a failure of either file; errors of `progress`. The database is unchanged then, unless
  ///   the error states that the copy may be stored.
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
      file, asReadableAs: FileIdentity(at: file) == nil ? backup : file, replaces: true,
      options.files)
    do {
      try StoreError.mapped(path: backup, busyTimeout: options.busyTimeout) {
        try withSource(at: backup, options) {
          try self.copy($0, into: copy, options.random, progress)
        }
      }
      try copy.sync()
      let isWhole = try StoreError.mapped(path: path, busyTimeout: options.busyTimeout) {
        try moveLog(of: file, options)
      }
      if isWhole { return try copy.replace() }
      return try keeping(file, options.files, copy.replace)
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

  /// Lets SQLite move the log of a database that is about to be replaced into its file.
  ///
  /// - Returns: Whether the file, if there is one, is whole without a log; `false` if it cannot be
  ///   opened.
  private static func moveLog(of file: String, _ options: StoreOptions) throws -> Bool {
    if ["", "-wal", "-journal"].allSatisfy({ fileBytes(file + $0) == 0 }) { return true }
    do {
      let db = try Connection(path: file, .readWriteExisting, busyTimeout: options.busyTimeout)
      db.keepLogOnClose()
      try checkLog(of: db, at: file, from: .thisFile)
      if try isOurs(db), try db.pragma("journal_mode = DELETE") == "delete" {
        try db.close()
        return true
      }
    } catch let error as SQLiteError
      where [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL].contains(error.code)
    {
      throw error.code == SQLITE_FULL ? error : StoreError(.isOpen, path: file)
    } catch is SQLiteError {
    } catch is StoreError {}
    return false
  }

  /// Runs `replace`, which replaces a file that cannot be opened, and keeps the file, with its log,
  /// by other names.
  private static func keeping(
    _ file: String, _ files: FileCalls, _ replace: () throws(StoreError) -> Int
  ) throws -> Int {
    var seconds = time(nil)
    while FileIdentity(at: "\(file).damaged-\(seconds)") != nil { seconds += 1 }
    let kept = "\(file).damaged-\(seconds)"
    let ends = ["", "-wal", "-journal"].filter { FileIdentity(at: file + $0) != nil }
    do throws(StoreError) {
      // Further names: until it is replaced, the file is complete at its path too.
      for end in ends
      where try files(.link(file + end, to: kept + end), for: file, isOptional: true) != 0 {
        try files(.rename(file + end, to: kept + end), for: file)
      }
      // SQLite would play it back into the new file; of a log it is known which file it belongs to.
      try files(.remove("\(file)-journal"), for: file, isOptional: true)
      return try replace()
    } catch {
      for end in ends where !error.mayBeStored {
        let isThere = FileIdentity(at: file + end) != nil
        _ = files.perform(isThere ? .remove(kept + end) : .rename(kept + end, to: file + end))
      }
      throw error
    }
  }

  /// Returns the path without symbolic links, as SQLite names a file's companions.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }
}
