import LayoutCacheSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// The work of a process before its first answer: every `layoutcache query` from a shell pays for
// each statement here.

extension Store {
  /// Opens a LayoutCache database, or creates it, and updates its schema.
  static func openFile(at path: String, _ options: StoreOptions) throws -> OpenedFile {
    let db = try Connection(path: path, .readWrite, busyTimeout: options.busyTimeout)
    if let file = db.filePath {
      // The connection has not read yet: it has no lock, and has not used a log.
      if let identity = FileIdentity(at: file) {
        guard let note = OpenFile(file, identity) else {
          throw StoreError(
            .cannotOpen(
              detail: """
                this process still has the previous file at this path open; close it first
                """), path: path)
        }
        db.openFile = note
      }
      discardForeignLog(of: db, at: file, options)
      if db.storedMark == CopyMark.copy {
        try prepareCopy(db, at: path, options)
        // A log that could not be deleted is not that of the copy.
        if db.storedMark == CopyMark.copy, fileBytes("\(file)-wal") > 0 {
          return try openFixed(in: db, at: path, options, insteadOf: nil)
        }
      }
    }
    let hash: KeyedHash
    do {
      hash = try prepare(db, at: path, options)
    } catch let error as SQLiteError
      where error.code == SQLITE_READONLY || error.code == SQLITE_CANTOPEN && !db.isOutOfResources
    {
      return try openFixed(in: db, at: path, options, insteadOf: error)
    }
    let mark = try CopyMark.mark(of: db)
    // Pages may come from the log of another database that a process has open.
    if let stored = db.storedMark, stored > CopyMark.copy, mark != stored {
      throw StoreError(.replaced(.overwritten), path: path)
    }
    return OpenedFile(
      first: db, hash: hash, incarnationMask: mark == CopyMark.copy ? CopyMark.incarnationMask : 0)
  }

  /// Deletes a write-ahead log at the path that belongs to another file: next to a copy that no
  /// process has opened yet, or in use by a process that does not have this file open.
  ///
  /// It cannot detect the log of a killed process if the file was then replaced by anything but a
  /// backup.
  ///
  /// A process that ends loses its locks one after the other: for a moment it may have the index
  /// in use, and no longer the file. The log is then the file's own, so it is deleted only if that
  /// lasts for longer than the busy timeout.
  private static func discardForeignLog(
    of db: Connection, at file: String, _ options: StoreOptions
  ) {
    let (log, index) = ("\(file)-wal", "\(file)-shm")
    guard FileIdentity(at: log) != nil else { return }
    var looks = looks(during: options.busyTimeout)
    while true {
      defer { db.unlockFile() }
      // If another process has the file open, the log belongs to the file.
      guard db.lockFile() else { return }
      let isOfCopy = db.storedMark == CopyMark.copy
      guard isOfCopy || isIndexInUse(index) else { return }
      if isOfCopy || looks <= 0 {
        unlink(log)
        unlink(index)
        return
      }
      looks -= 1
      usleep(lookMicroseconds)
    }
  }

  private static let lookMicroseconds: UInt32 = 10_000

  /// The number of looks that a wait for another process takes.
  private static func looks(during seconds: Double) -> Double {
    max(1, min(seconds, 3600) * 1_000_000 / Double(lookMicroseconds))
  }

  /// Turns a copy into a database while no other process can read it, and leaves it without a
  /// write-ahead log. So a log next to a copy never contains acknowledged changes.
  ///
  /// - Parameter db: A connection that has not read yet.
  /// - Throws: ``StoreError`` with `cannotOpen` if another process has the file open for longer
  ///   than the busy timeout: that process has the database open that the copy was written over,
  ///   and its log must not be combined with these pages. A read-only or damaged copy throws
  ///   nothing: the following steps report it, or read it as it is.
  private static func prepareCopy(
    _ db: Connection, at path: String, _ options: StoreOptions
  ) throws {
    var looks = looks(during: options.busyTimeout)
    while db.storedMark == CopyMark.copy {
      do {
        let own = try Connection(path: path, .readWriteExisting, busyTimeout: 0)
        try own.execute("PRAGMA locking_mode = EXCLUSIVE")
        _ = try prepare(own, at: path, options)
        return try own.close()
      } catch let error as SQLiteError where error.code == SQLITE_BUSY {
        looks -= 1
        if looks <= 0 {
          throw StoreError(
            .cannotOpen(
              detail: """
                it is a backup that replaced a file still open in another process; end that first
                """), path: path)
        }
        usleep(lookMicroseconds)
      } catch {
        return
      }
    }
  }

  /// Updates a file's schema, and turns a copy into a database.
  ///
  /// - Returns: The hash.
  private static func prepare(
    _ db: Connection, at path: String, _ options: StoreOptions
  ) throws -> KeyedHash {
    try db.reportingReadFailures {
      // Checked first, to write nothing to another program's file: switching to WAL would change
      // it.
      let known = try db.transaction(.deferred) { try hashOfPresentSchema(db, path, options) }
      if known == nil, try db.pragma("page_count") == 0 {
        // Must be set before the first page is written.
        try db.execute("PRAGMA auto_vacuum = INCREMENTAL")
      }
      try setUp(db, path: path, options)
      if known == nil { try migrate(db, path: path) }
      let hash = try known ?? hash(db, path: path)
      try CopyMark.resolve(db, path: path, hash: hash)
      return hash
    }
  }

  /// Returns the hash of a file that needs no migration; `nil` otherwise.
  ///
  /// - Throws: ``StoreError`` with `notADatabase` for another program's file, and for an empty
  ///   one if no file may be created.
  static func hashOfPresentSchema(
    _ db: Connection, _ path: String, _ options: StoreOptions
  ) throws -> KeyedHash? {
    guard try isOurs(db) else {
      if try Statement("SELECT count(*) FROM sqlite_schema", db).value() != 0 {
        throw StoreError(.notADatabase(detail: "it was created by another program"), path: path)
      }
      if !options.createsFile {
        throw StoreError(.notADatabase(detail: "it is empty"), path: path)
      }
      return nil
    }
    return try hasPresentSchema(db, path: path) ? hash(db, path: path) : nil
  }

  /// Prepares a connection that may write.
  static func setUp(_ db: Connection, path: String, _ options: StoreOptions) throws {
    guard try db.pragma("journal_mode = WAL") == "wal" else {
      throw StoreError(.cannotOpen(detail: "write-ahead logging is not possible"), path: path)
    }
    // Debian's SQLite overwrites deleted content by default. Nodes are rewritten constantly, and
    // contain nothing that the file does not contain elsewhere.
    try db.execute(
      """
      PRAGMA foreign_keys = ON;
      PRAGMA secure_delete = OFF;
      PRAGMA temp_store = FILE;
      PRAGMA synchronous = \(options.survivesPowerCut ? "FULL" : "NORMAL");
      """)
  }

  static func hash(_ db: Connection, path: String) throws -> KeyedHash {
    let key: [UInt8]? = try Statement("SELECT hash_key FROM database WHERE id = 1", db).value()
    guard let key, key.count == 16 else {
      throw StoreError(.corrupt(detail: "the table database has no row"), path: path)
    }
    return KeyedHash(key: key)
  }
}

/// Returns whether another process has the index of a write-ahead log open. Each holds a lock on
/// the same byte of it, UNIX_SHM_DMS in SQLite's os_unix.c.
///
/// This process must not have it open: closing it here would release the process's locks.
private func isIndexInUse(_ path: String) -> Bool {
  let file = open(path, O_RDWR | O_CLOEXEC)
  guard file >= 0 else { return false }
  defer { close(file) }
  var lock = flock()
  lock.l_type = numericCast(F_WRLCK)
  lock.l_whence = numericCast(SEEK_SET)
  lock.l_start = 128
  lock.l_len = 1
  return fcntl(file, F_GETLK, &lock) == 0 && Int32(lock.l_type) != Int32(F_UNLCK)
}
