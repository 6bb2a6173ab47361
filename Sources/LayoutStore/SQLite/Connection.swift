import LayoutCacheSQLite

/// A connection to a database file, through SQLite's C interface.
///
/// One thread at a time uses it: its owner sees to that (``SharedConnection``,
/// ``ReaderPool``), and SQLite is opened without the mutex that it would otherwise take
/// in every call. Who holds a connection holds its statements too.
///
/// Statements are prepared once and kept; see ``Statement``.
///
/// Source: https://sqlite.org/c3ref/open.html, https://sqlite.org/threadsafe.html
/// ("multi-thread").
final class Connection: @unchecked Sendable {
  enum Access {
    /// A missing file is an error.
    case readOnly
    /// A missing file is made. A file that can't be written is opened all the same, and
    /// the first write says so.
    case readWrite
    /// As `readWrite`, but a missing file is an error.
    case readWriteExisting
  }

  /// SQLite's own handle; `nil` once closed.
  private(set) var handle: OpaquePointer?
  /// The prepared statements by their SQL.
  private var statements: [String: OpaquePointer] = [:]
  private let busyHandler: BusyHandler
  /// Notes that this process has the file open, until the connection is closed.
  var openFile: OpenFile?

  /// Opens a file; an empty path means a temporary one that vanishes with the
  /// connection.
  ///
  /// - Throws: ``SQLiteError``. The file's content is not looked at yet.
  init(path: String, _ access: Access, busyTimeout: Double) throws {
    busyHandler = BusyHandler(timeout: busyTimeout)
    let flags =
      switch access {
      case .readOnly: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readWriteExisting: SQLITE_OPEN_READWRITE
      }
    let code = sqlite3_open_v2(
      path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK else {
      // There is a handle even then, unless memory has run out.
      let error = handle.map { SQLiteError(code, on: $0) } ?? SQLiteError(code)
      sqlite3_close(handle)
      throw error
    }
    busyHandler.install(on: handle)
  }

  deinit {
    // Whoever wants to hear of a failure closes first.
    finalizeStatements()
    sqlite3_close(handle)
  }

  /// Closes the connection, which can't be used any more then. The last one to a file in
  /// WAL mode moves the log into it, unless it is read-only.
  ///
  /// - Throws: ``SQLiteError``; the connection is open then.
  func close() throws {
    finalizeStatements()
    assert(handle == nil || sqlite3_next_stmt(handle, nil) == nil, "a statement is in use")
    try check(sqlite3_close(handle))
    handle = nil
    openFile = nil
  }

  private func finalizeStatements() {
    for statement in statements.values {
      assert(sqlite3_stmt_busy(statement) == 0, "a statement is in use")
      sqlite3_finalize(statement)
    }
    statements = [:]
  }

  /// Whether a transaction is open: one that has failed may have been rolled back by
  /// SQLite itself.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The number of rows that the last statement has changed.
  var changedRows: Int { Int(sqlite3_changes64(handle)) }

  /// The number of rows that all statements have changed since the connection was opened.
  var totalChangedRows: Int { Int(sqlite3_total_changes64(handle)) }

  /// Runs statements without parameters, one after the other, and drops their rows. For
  /// what is done once: nothing is kept prepared.
  func execute(_ script: String) throws {
    try check(sqlite3_exec(handle, script, nil, nil, nil), script)
  }

  /// The value of a pragma, or what it answers where it does something; `nil` where it
  /// answers nothing.
  ///
  /// Some pragmas are evaluated when they are prepared, so they are not kept.
  ///
  /// - Parameter name: What stands after `PRAGMA`.
  func pragma<Value: ColumnConvertible>(_ name: String, as: Value.Type = Value.self) throws
    -> Value?
  {
    try Statement(once: "PRAGMA \(name)", self).value()
  }

  /// Reads what a connection reads before anything else, the schema. One that has not does
  /// not know that the file has a write-ahead log: a checkpoint on it moves nothing, and
  /// reports success.
  func readSchema() throws {
    let _: Int? = try pragma("schema_version")
  }

  /// The prepared statement of some SQL, from the first time on.
  func prepared(_ sql: String) throws -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    let statement = try prepare(sql, flags: SQLITE_PREPARE_PERSISTENT)
    statements[sql] = statement
    return statement
  }

  /// Prepares a statement, which is the caller's to finalize.
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
    guard let statement else { preconditionFailure("there is no statement in \"\(sql)\"") }
    return statement
  }

  /// Throws what SQLite says of a code that is none of success.
  func check(_ code: Int32, _ sql: String? = nil) throws {
    guard code == SQLITE_OK else { throw SQLiteError(code, on: handle, sql: sql) }
  }
}
