import LayoutCacheSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A connection to a database file, through SQLite's C interface.
///
/// One thread at a time uses it, as its owner ensures (``SharedConnection``, ``ReaderPool``).
/// SQLite is opened without the mutex that it would otherwise lock in every call. The holder of a
/// connection also holds its statements.
///
/// Statements are prepared once and reused; see ``Statement``.
///
/// Source: https://sqlite.org/c3ref/open.html, https://sqlite.org/threadsafe.html ("multi-thread").
final class Connection: @unchecked Sendable {
  enum Access {
    /// A missing file is an error.
    case readOnly
    /// A missing file is created. A read-only file is opened too, and the first write fails.
    case readWrite
    /// As `readWrite`, but a missing file is an error.
    case readWriteExisting
    /// As `readOnly`, for a file that does not change: without locks, and without looking for a
    /// write-ahead log.
    case fixed
    /// As `readWriteExisting`, with the index of the write-ahead log for reading only. It is neither
    /// created nor initialized.
    case readOnlyIndex
  }

  /// SQLite's own handle; `nil` once closed.
  private(set) var handle: OpaquePointer?
  /// The prepared statements by their SQL.
  private var statements: [String: OpaquePointer] = [:]
  private let busyHandler: BusyHandler

  /// Opens a file. An empty path opens a temporary file that is deleted with the connection.
  ///
  /// - Throws: ``SQLiteError``. The file's content is not read yet.
  init(path: String, _ access: Access, busyTimeout: Double) throws {
    busyHandler = BusyHandler(timeout: busyTimeout)
    let flags =
      switch access {
      case .readOnly: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readWriteExisting: SQLITE_OPEN_READWRITE
      case .fixed: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      case .readOnlyIndex: SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI
      }
    let name =
      switch access {
      case .fixed: Self.uri(path, "immutable=1")
      case .readOnlyIndex: Self.uri(path, "readonly_shm=1")
      default: path
      }
    let code = sqlite3_open_v2(
      name, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK else {
      // There is a handle even on failure, unless memory is exhausted.
      let error = handle.map { SQLiteError(code, on: $0) } ?? SQLiteError(code)
      sqlite3_close(handle)
      throw error
    }
    busyHandler.install(on: handle)
    layoutcache_distrust_schema(handle)
    // With a unit of growth SQLite allocates the space of all pages at once. Otherwise pages that
    // it skips are holes of the file, which cannot be filled on a full disk.
    var pageBytes: Int32 = 4096
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_CHUNK_SIZE, &pageBytes)
  }

  /// Returns the URI of a file with a parameter.
  ///
  /// Source: https://sqlite.org/uri.html, "immutable"; https://sqlite.org/wal.html#readonly.
  private static func uri(_ path: String, _ parameter: String) -> String {
    let name = path.utf8.reduce(into: "") { name, byte in
      let isPlain = byte > 0x20 && byte < 0x7F && !"%?#".utf8.contains(byte)
      if isPlain {
        name.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16)
        name += digits.count < 2 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return "file:\(name)?\(parameter)"
  }

  deinit {
    // To learn of a failure, call `close()` first.
    finalizeStatements()
    sqlite3_close(handle)
  }

  /// Closes the connection, which cannot be used afterwards. The last connection to a file in WAL
  /// mode moves the log into it, unless it is read-only.
  ///
  /// - Throws: ``SQLiteError``; the connection is still open then.
  func close() throws {
    finalizeStatements()
    assert(handle == nil || sqlite3_next_stmt(handle, nil) == nil, "a statement is in use")
    try check(sqlite3_close(handle))
    handle = nil
  }

  private func finalizeStatements() {
    for statement in statements.values {
      assert(sqlite3_stmt_busy(statement) == 0, "a statement is in use")
      sqlite3_finalize(statement)
    }
    statements = [:]
  }

  /// Whether a transaction is open. SQLite may have rolled back a failed one itself.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The number of rows that the last statement has changed.
  var changedRows: Int { Int(sqlite3_changes64(handle)) }

  /// The number of rows that all statements have changed since the connection was opened.
  var totalChangedRows: Int { Int(sqlite3_total_changes64(handle)) }

  /// Runs statements without parameters in order, and drops their rows. Intended for one-time
  /// statements: none stays prepared.
  func execute(_ script: String) throws {
    try check(sqlite3_exec(handle, script, nil, nil, nil), script)
  }

  /// Returns the value of a pragma, or its result if it does something; `nil` if it returns
  /// nothing.
  ///
  /// Some pragmas are evaluated when they are prepared, so their statements are not reused.
  ///
  /// - Parameter name: The text after `PRAGMA`.
  func pragma<Value: ColumnConvertible>(_ name: String, as: Value.Type = Value.self) throws
    -> Value?
  {
    try Statement(once: "PRAGMA \(name)", self).value()
  }

  /// Runs `body` with another busy timeout in seconds, if there is one.
  func waiting<R>(_ patience: Double?, _ body: () throws -> R) rethrows -> R {
    guard let patience else { return try body() }
    let handler = BusyHandler(timeout: patience)
    handler.install(on: handle)
    defer {
      busyHandler.install(on: handle)
      withExtendedLifetime(handler) {}
    }
    return try body()
  }

  /// Reads the schema, as a connection does before anything else. Before that it does not know
  /// that the file has a write-ahead log: a checkpoint moves nothing, and reports success.
  func readSchema() throws {
    let _: Int? = try pragma("schema_version")
  }

  /// Returns the prepared statement of some SQL, which is prepared on first use.
  func prepared(_ sql: String) throws -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    let statement = try prepare(sql, flags: SQLITE_PREPARE_PERSISTENT)
    statements[sql] = statement
    return statement
  }

  /// Prepares a statement, which the caller must finalize.
  func prepare(_ sql: String, flags: Int32 = 0) throws -> OpaquePointer {
    var sql = sql
    var statement: OpaquePointer?
    let code = sql.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_prepare_v3(handle, $0.baseAddress, Int32($0.count), UInt32(flags), &statement, nil)
      }
    }
    try check(code, sql)
    guard let statement else { preconditionFailure("no statement in \"\(sql)\"") }
    return statement
  }

  /// Throws SQLite's error for any code but SQLITE_OK.
  func check(_ code: Int32, _ sql: String? = nil) throws {
    guard code == SQLITE_OK else { throw SQLiteError(code, on: handle, sql: sql) }
  }
}

extension Connection {
  enum Transaction {
    /// A transaction that reads one committed state, from its first read on.
    case deferred
    /// A transaction that holds the write lock from the start.
    case immediate
  }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  ///
  /// - Throws: ``SQLiteError``, with read failures distinguished from damage; errors of `body`.
  func transaction<R>(_ kind: Transaction, _ body: () throws -> R) throws -> R {
    try reportingReadFailures {
      try Statement(kind == .deferred ? "BEGIN" : "BEGIN IMMEDIATE", self).run()
    }
    do {
      return try reportingReadFailures {
        let result = try body()
        try commit()
        return result
      }
    } catch {
      // After some failures, such as a full disk, SQLite has already rolled back.
      if isInTransaction { try Statement("ROLLBACK", self).run() }
      throw error
    }
  }

  private func commit() throws {
    do {
      try Statement("COMMIT", self).run()
    } catch var error as SQLiteError {
      error.isOfCommit = true
      throw error
    }
  }

  /// Runs `body`, and `watch` periodically while its statements run.
  ///
  /// - Parameter watch: Cancels the running statement by throwing.
  /// - Throws: The error of `watch`; otherwise the error of `body`.
  func watched<R>(by watch: () throws -> Void, _ body: () throws -> R) throws -> R {
    try withoutActuallyEscaping(watch) { watch in
      let watcher = Watcher(watch)
      sqlite3_progress_handler(
        handle, Self.stepsBetweenLooks,
        { watcher in
          guard let watcher else { return 0 }
          return Unmanaged<Watcher>.fromOpaque(watcher).takeUnretainedValue().goesOn() ? 0 : 1
        }, Unmanaged.passUnretained(watcher).toOpaque())
      defer { sqlite3_progress_handler(handle, 0, nil, nil) }
      do {
        return try withExtendedLifetime(watcher, body)
      } catch {
        throw watcher.error ?? error
      }
    }
  }

  /// The steps of SQLite's virtual machine between two calls of `watch`. Copying a row takes a few.
  private static let stepsBetweenLooks: Int32 = 1000
}

private final class Watcher {
  private let watch: () throws -> Void
  private(set) var error: (any Error)?

  init(_ watch: @escaping () throws -> Void) { self.watch = watch }

  func goesOn() -> Bool {
    do {
      try watch()
    } catch {
      self.error = error
    }
    return error == nil
  }
}

// The database's file below SQLite's pager: its state on disk, whatever the write-ahead log
// contains.
//
// Source: https://sqlite.org/c3ref/io_methods.html; https://sqlite.org/fileformat.html, section 1.3
// (the header's fields).

/// The fields of a database file's header that distinguish databases.
struct FileHeader: Hashable, Sendable {
  /// `PRAGMA user_version`; see `FileNumber`.
  var number: FileNumber
  /// SQLite's change counter, which never decreases within a database.
  var changeCounter: UInt32
  /// `PRAGMA schema_version`, which changes with the schema, and which `VACUUM INTO` and SQLite's
  /// backups raise in the copy.
  var schemaVersion: UInt32
}

extension Connection {
  /// The absolute path of the file, without symbolic links, to which SQLite adds `-wal` and `-shm`.
  var filePath: String? { sqlite3_db_filename(handle, "main").map { String(cString: $0) } }

  /// Whether SQLite could open the file for reading only.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Whether the path leads to another file than the open one, or to none.
  var hasMoved: Bool {
    var hasMoved: Int32 = 0
    let code = sqlite3_file_control(handle, nil, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return code == SQLITE_OK && hasMoved != 0
  }

  /// The file's header, or the reason why there is none.
  enum StoredHeader {
    case header(FileHeader)
    /// The file is shorter than a header, or does not begin like a database.
    case none
    /// The system failed to read it.
    case unreadable
  }

  /// Reads the file's header from the disk; one system call.
  func storedHeader() -> StoredHeader {
    var bytes = [UInt8](repeating: 0, count: 100)
    guard let file = file(SQLITE_FCNTL_FILE_POINTER),
      let read = file.pointee.pMethods?.pointee.xRead
    else { return .unreadable }
    switch read(file, &bytes, Int32(bytes.count), 0) {
    case SQLITE_OK: break
    case SQLITE_IOERR | 2 << 8: return .none  // SQLITE_IOERR_SHORT_READ
    default:
      // So that SQLite's next failure is not attributed to this one.
      _ = takeReadFailure()
      return .unreadable
    }
    guard bytes.starts(with: Array("SQLite format 3\0".utf8)) else { return .none }
    func number(at offset: Int) -> UInt32 {
      bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
    return .header(
      FileHeader(
        number: FileNumber(rawValue: number(at: 60)), changeCounter: number(at: 24),
        schemaVersion: number(at: 40)))
  }

  /// Locks the file exclusively against all connections of all processes, if none has it open in
  /// WAL mode or reads it.
  ///
  /// - Returns: Whether the file is locked. SQLite does not know of the lock: close the
  ///   connection next, or call ``unlockFile()``.
  func lockFile() -> Bool {
    guard let file = file(SQLITE_FCNTL_FILE_POINTER), let methods = file.pointee.pMethods?.pointee,
      let lock = methods.xLock
    else { return false }
    return lock(file, SQLITE_LOCK_SHARED) == SQLITE_OK
      && lock(file, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK
  }

  /// Releases the lock of ``lockFile()``, also if that failed.
  func unlockFile() {
    guard let file = file(SQLITE_FCNTL_FILE_POINTER) else { return }
    _ = file.pointee.pMethods?.pointee.xUnlock?(file, SQLITE_LOCK_NONE)
  }

  /// Sets whether the connection leaves the write-ahead log as it is on closing.
  func keepLogOnClose(_ keeps: Bool = true) {
    _ = layoutcache_keep_log_on_close(handle, keeps ? 1 : 0)
  }
}

// If the operating system fails to read (EIO), SQLite's statements report a corrupt database,
// since file system failures often accompany damage. Here the two are distinguished: damaged data
// is rebuilt or abandoned, while a failing disk may recover. The files store the error number of
// their last failure.
//
// Source: SQLite 3.34 and later: unixRead in src/os_unix.c, which returns SQLITE_IOERR_CORRUPTFS,
// and abort_due_to_error in src/vdbe.c, which turns it into SQLITE_CORRUPT;
// https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html (SQLITE_FCNTL_LAST_ERRNO).

extension Connection {
  /// Runs `body`. Read failures that SQLite reports as damage are thrown as SQLITE_IOERR.
  func reportingReadFailures<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw told(error)
    }
  }

  /// Returns the error, or SQLITE_IOERR if it reports damage but the system failed to read.
  func told(_ error: SQLiteError) -> SQLiteError {
    switch error.code {
    case SQLITE_CORRUPT, SQLITE_IOERR: break
    default: return error
    }
    // Taken in both cases, so that the next error is not attributed to this failure.
    let failure = takeReadFailure()
    return error.code == SQLITE_CORRUPT ? failure ?? error : error
  }

  /// Returns and clears the system's last failure to read the database's file or its write-ahead
  /// log; `nil` without one.
  func takeReadFailure() -> SQLiteError? {
    let failures = [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER]
      .compactMap { file($0)?.takeReadFailure() }
    return failures.first.map {
      SQLiteError(Self.readFailed, message: String(cString: strerror($0)))
    }
  }

  /// SQLITE_IOERR_READ, which Swift does not import.
  static let readFailed = SQLITE_IOERR | 1 << 8

  func file(_ pointer: Int32) -> UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, nil, pointer, &file)
    return code == SQLITE_OK ? file : nil
  }
}

extension UnsafeMutablePointer<sqlite3_file> {
  fileprivate func takeReadFailure() -> Int32? {
    // A file that is not open has no methods.
    guard let methods = pointee.pMethods?.pointee, let control = methods.xFileControl,
      let size = methods.xFileSize, let read = methods.xRead
    else { return nil }
    var number: Int32 = 0
    guard control(self, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK,
      // The error numbers that SQLite treats as a sign of damage.
      [EIO, ENXIO, ERANGE].contains(number)
    else { return nil }
    // Reading at the end of the file is no failure, and resets the error number.
    var end: sqlite3_int64 = 0
    var byte: UInt8 = 0
    if size(self, &end) == SQLITE_OK { _ = read(self, &byte, 1, end) }
    return number
  }
}
