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
    do {
      return try openPresentFile(at: path, options)
    } catch let error as StoreError where error.code == .replaced(.replaced) {
      // By a restore, for whose end it has waited.
      return try openPresentFile(at: path, options)
    }
  }

  private static func openPresentFile(
    at path: String, _ options: StoreOptions
  ) throws -> OpenedFile {
    let db = try Connection(path: path, .readWrite, busyTimeout: options.busyTimeout)
    // A log that turns out to belong to another file stays as it is.
    db.keepLogOnClose()
    try db.checkAccess(path)
    // The connection has not read yet: it has no lock, and has not opened a log.
    let lock = try lock(db, at: path, options)
    do {
      // Of two stores that find a log that was moved here with its file, one binds it.
      if let lock {
        _ = BusyHandler.wait(atMost: options.busyTimeout) { lock.isNew && !lock.reserveCheck() }
      }
      let hash = try WriteAheadIndex.opening { try prepare(db, lock, at: path, options) }
      try db.checkAccess(path, hasRead: true)
      lock?.setLogChecked()
      return OpenedFile(first: db, lock: lock, hash: hash, number: try FileNumber(in: db))
    } catch let error as SQLiteError
      where error.code == SQLITE_READONLY || error.code == SQLITE_CANTOPEN
    {
      guard let file = db.filePath, FileAccess.isReadOnly(file) else {
        throw StoreError(.inputOutput(detail: error.message), path: path)
      }
      return try openFixed(in: db, lock, at: path, options, insteadOf: error)
    }
  }

  /// Locks the file for use by this store; see ``FileLock``.
  ///
  /// - Parameter db: A connection that has not read yet.
  /// - Returns: `nil` if the process may not create the lock.
  static func lock(
    _ db: Connection, at path: String, _ options: StoreOptions
  ) throws -> FileLock? {
    guard let file = db.filePath, let identity = FileIdentity(at: file),
      let lock = try FileLock(file, creates: !db.isReadOnly)
    else { return nil }
    try lock.share(identity, path: path, busyTimeout: options.busyTimeout)
    if db.hasMoved { throw StoreError(.replaced(.replaced), path: path) }
    // SQLite's locks belong to the file, and its log to a name. So a process that has the file open
    // by another name would write another log.
    if linkCount(file) > 1, !lock.isShared, !db.isReadOnly {
      defer { db.unlockFile() }
      guard db.lockFile() else {
        throw StoreError(
          .cannotOpen(
            detail: """
              a process has it open by another name (hard link); use that name, or end the process
              """), path: path)
      }
    }
    // For as long as a killed process may take to end.
    let isIndexLocked = try BusyHandler.wait(atMost: options.busyTimeout) {
      try lock.isLogChecked && WriteAheadIndex.isUnlocked(of: file)
    }
    if !isIndexLocked {
      throw StoreError(
        .cannotOpen(
          detail: """
            a process that has it open has lost the index of its log (-shm), because it has read \
            or copied that file; end the process
            """), path: path)
    }
    return lock
  }

  /// The file for which the write-ahead log next to a file must have been begun.
  enum LogOrigin {
    /// The very file.
    case thisFile
    /// The file, or one of which both are copies.
    case copies
    /// A file that another store has checked, and that it may be writing for the first time.
    case checked
  }

  /// Checks that a write-ahead log next to the file was written for it, without changing either.
  ///
  /// - Returns: Whether it was begun for this file; `false` if both are copies.
  /// - Throws: ``StoreError`` with `cannotOpen` if it does not belong to the file; SQLite's
  ///   failures.
  @discardableResult
  static func checkLog(of db: Connection, at path: String, from origin: LogOrigin) throws -> Bool {
    // The log is looked for first: a file that is being created has a header before it has a log.
    guard let file = db.filePath, fileBytes("\(file)-wal") > 0 else { return true }
    var (fits, isOfThisFile) = (false, true)
    do {
      // SQLite deletes a log next to an empty file at its first read.
      if case .none = db.storedHeader() { throw SQLiteError(SQLITE_NOTADB) }
      // In one transaction, during which no page that it does not see reaches the file.
      fits = try db.transaction(.deferred) {
        let number = try FileNumber(in: db)
        let binding: LogBinding?
        do { binding = try LogBinding(in: db) } catch let error as SQLiteError {
          guard error.code == SQLITE_ERROR else { throw error }
          binding = nil
        }
        guard case .header(let header) = db.storedHeader() else {
          throw db.takeReadFailure() ?? SQLiteError(Connection.readFailed)
        }
        // The log of an earlier version has the file's number, or creates the file.
        guard let binding else { return [number.rawValue, 0].contains(header.number.rawValue) }
        if origin == .checked { return binding.fits(header) }
        isOfThisFile = binding.inode == FileIdentity(at: file).map { Int64(bitPattern: $0.inode) }
        return binding.fits(header) && !number.isOfCopy
          && (isOfThisFile || origin == .copies)
      }
    } catch let error as SQLiteError
      where [SQLITE_CORRUPT, SQLITE_NOTADB].contains(error.code)
    {}
    if !fits {
      throw StoreError(
        .cannotOpen(
          detail: """
            the write-ahead log next to it (-wal) was written for another file; put a backup in \
            place with 'layoutcache restore BACKUP --database FILE'
            """), path: path)
    }
    return isOfThisFile
  }

  /// Checks a file and its log, and updates its schema. A copy of the present version stays one.
  ///
  /// - Returns: The hash.
  private static func prepare(
    _ db: Connection, _ lock: FileLock?, at path: String, _ options: StoreOptions
  ) throws -> KeyedHash {
    try db.reportingReadFailures {
      // A log that was moved or copied here with its file has not been checked here yet.
      let origin: LogOrigin =
        if let lock, !lock.isNew { lock.isLogChecked ? .checked : .thisFile } else { .copies }
      let isOfThisFile = try checkLog(of: db, at: path, from: origin)
      // Checked first, to write nothing to another program's file: switching to WAL would change
      // it.
      let known = try db.transaction(.deferred) { try hashOfPresentSchema(db, path, options) }
      if known == nil, try db.pragma("page_count") == 0 {
        // Must be set before the first page is written.
        try db.execute("PRAGMA auto_vacuum = INCREMENTAL")
      }
      try setUp(db, path: path, options)
      if let known {
        if !isOfThisFile {
          do {
            try db.transaction(.immediate) { try LogBinding.renew(in: db, options.random) }
          } catch let error as SQLiteError where error.code == SQLITE_READONLY {
            // It is read without being bound to this place.
          }
        }
        return known
      }
      try migrate(db, path: path, options.random)
      let hash = try hash(db, path: path)
      try db.transaction(.immediate) {
        if try FileNumber(in: db).isOfCopy {
          try StoreWriter(reader: StoreReader(db: db, path: path, hash: hash))
            .becomeDatabase(options.random)
        }
      }
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
