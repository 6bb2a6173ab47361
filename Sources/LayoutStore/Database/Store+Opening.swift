import LayoutCacheSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// What a process does before its first answer: each statement here is paid for by every
// `layoutcache query` from a shell.

extension Store {
  /// Says what is wrong with a path before SQLite does, which has one message for all.
  static func checkPlace(of path: String, _ options: StoreOptions) throws {
    switch FileKind(at: path) {
    case .directory: throw StoreError(.cannotOpen(detail: "it is a directory"), path: path)
    case .other: return
    case nil: break
    }
    if !options.createsFile { throw StoreError(.noSuchFile, path: path) }
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
    if FileKind(at: String(folder)) != .directory {
      throw StoreError(.cannotOpen(detail: "there is no folder \(folder)"), path: path)
    }
  }

  /// Opens a file that is ours, or makes it ours, and brings its schema up to date.
  ///
  /// - Returns: The connection that has done so, which is the first to read, and the hash.
  static func openFile(
    at path: String, _ options: StoreOptions
  ) throws -> (first: Connection, hash: KeyedHash) {
    let db = try Connection(path: path, .readWrite, busyTimeout: options.busyTimeout)
    if let file = db.filePath {
      // The connection has not read yet: it has taken no lock, and no log for the file's.
      if let identity = FileIdentity(at: file) {
        guard let note = OpenFile(file, identity) else {
          throw StoreError(
            .cannotOpen(
              detail: """
                this process has the file open that was in its place before; close that first
                """), path: path)
        }
        db.openFile = note
      }
      discardForeignLog(of: db, at: file)
      if db.storedMark == CopyMark.copy { try prepareCopy(db, at: path, options) }
    }
    let hash = try prepare(db, at: path, options)
    // Pages may come from the log of another database, which a process has open.
    if let stored = db.storedMark, stored > CopyMark.copy, try CopyMark.mark(of: db) != stored {
      throw StoreError(.replaced(.overwritten), path: path)
    }
    return (db, hash)
  }

  /// Deletes a write-ahead log at the path that is of another file: that of a copy which no
  /// process has opened yet, and one that a process uses which has not this file open.
  ///
  /// This can't tell the log of a killed process to a file that was then replaced by
  /// anything but a backup.
  private static func discardForeignLog(of db: Connection, at file: String) {
    let (log, index) = ("\(file)-wal", "\(file)-shm")
    guard FileIdentity(at: log) != nil else { return }
    // Where the file is open elsewhere, the log is its own.
    if db.lockFile(), db.storedMark == CopyMark.copy || isIndexInUse(index) {
      unlink(log)
      unlink(index)
    }
    db.unlockFile()
  }

  /// Makes a copy a database while no other process can read it, and leaves it without a
  /// write-ahead log. A log next to a copy is never one with acknowledged changes then.
  ///
  /// - Parameter db: A connection that has not read yet.
  /// - Throws: ``StoreError`` with `cannotOpen` where another process has the file open for longer
  ///   than the busy timeout: it has the database open that the copy was copied over, and its log
  ///   must not be read with these pages. Where the copy can't be written, or is damaged, nothing:
  ///   the steps that follow report it, or read it as it is.
  private static func prepareCopy(
    _ db: Connection, at path: String, _ options: StoreOptions
  ) throws {
    var looks = max(1, min(options.busyTimeout, 3600) * 100)
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
                it is a backup in place of a file that another process has open; end that first
                """), path: path)
        }
        usleep(10_000)
      } catch {
        return
      }
    }
  }

  /// Brings a file's schema up to date, and makes a copy a database.
  ///
  /// - Returns: The hash.
  private static func prepare(
    _ db: Connection, at path: String, _ options: StoreOptions
  ) throws -> KeyedHash {
    try db.tellingReadFailures {
      // Nothing is written to another program's file: switching to WAL would change it.
      let known = try db.transaction(.deferred) { try hashOfPresentSchema(db, path, options) }
      if known == nil, try db.pragma("page_count") == 0 {
        // Before the first page is written: later it takes a VACUUM, which `compact` does.
        try db.execute("PRAGMA auto_vacuum = INCREMENTAL")
      }
      try setUp(db, path: path, options)
      if known == nil { try migrate(db, path: path) }
      let hash = try known ?? hash(db, path: path)
      try CopyMark.resolve(db, path: path, hash: hash)
      return hash
    }
  }

  /// The hash of a file that needs no migration; `nil` where it does.
  ///
  /// - Throws: ``StoreError`` with `notADatabase` for another program's file, and for an
  ///   empty one where none is to be made.
  private static func hashOfPresentSchema(
    _ db: Connection, _ path: String, _ options: StoreOptions
  ) throws -> KeyedHash? {
    guard try isOurs(db) else {
      if try Statement("SELECT count(*) FROM sqlite_schema", db).value() != 0 {
        throw StoreError(.notADatabase(detail: "another program made it"), path: path)
      }
      if !options.createsFile {
        throw StoreError(.notADatabase(detail: "it is empty"), path: path)
      }
      return nil
    }
    return try hasPresentSchema(db) ? hash(db, path: path) : nil
  }

  /// Prepares a connection that may write.
  static func setUp(_ db: Connection, path: String, _ options: StoreOptions) throws {
    guard try db.pragma("journal_mode = WAL") == "wal" else {
      throw StoreError(.cannotOpen(detail: "it can't have a write-ahead log"), path: path)
    }
    // Debian's SQLite overwrites what it deletes; nodes are rewritten all the time and
    // hold nothing that the file does not hold elsewhere.
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

/// Whether another process has the index of a write-ahead log open: each holds a lock on the same
/// byte of it, UNIX_SHM_DMS in SQLite's os_unix.c.
///
/// This process must not have it open: closing it here would end the process's own locks.
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

/// The kind of file at a path.
private enum FileKind {
  case directory
  case other

  /// - Returns: `nil` where there is nothing, or nothing that this process can see.
  init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self = status.st_mode & S_IFMT == S_IFDIR ? .directory : .other
  }
}
