import LayoutCacheSQLite

/// A connection to a database file, through SQLite's C interface.
///
/// One thread at a time uses it, as its owner ensures (``SharedConnection``, ``ReaderPool``).
/// SQLite is opened without the mutex that it would otherwise lock in every call. The holder of a
/// connection also holds its statements.
///
/// Statements are prepared once and reused; see ``Statement``.
///
/// Source: https://sqlite.org/c3ref/open.html, https://sqlite.org/threadsafe.html
/// ("multi-thread").
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
        sqlite3_prepare_v3(
          handle, $0.baseAddress, Int32($0.count), UInt32(flags), &statement, nil)
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
