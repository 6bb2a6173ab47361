import CSQLite

/// A connection to a database file, through SQLite's C interface.
final class SQLiteConnection {
  let path: String
  private var handle: OpaquePointer?
  private var statements: [OpaquePointer] = []

  /// Opens a file in WAL mode, creating it if it is missing.
  ///
  /// - Parameter cacheKibibytes: The memory for pages.
  init(_ path: String, synchronous: SynchronousLevel, cacheKibibytes: Int) throws {
    self.path = path
    try check(sqlite3_open(path, &handle))
    try execute("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = \(synchronous.rawValue)")
    try execute("PRAGMA cache_size = -\(cacheKibibytes)")
    // As in the engine: Debian's SQLite overwrites deleted content by default.
    try execute("PRAGMA secure_delete = OFF")
  }

  deinit {
    for statement in statements { sqlite3_finalize(statement) }
    // Closing the last connection of a file checkpoints the write-ahead log.
    sqlite3_close(handle)
  }

  /// Runs statements without result rows.
  func execute(_ sql: String) throws {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Prepares a statement, which lives as long as the connection.
  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    guard let statement else { throw BaselineError(path: path, detail: "no statement: \(sql)") }
    statements.append(statement)
    return statement
  }

  /// Runs a prepared statement without result rows.
  func run(_ statement: OpaquePointer) throws {
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    if code != SQLITE_DONE { throw error }
  }

  /// Runs a prepared statement without result rows, with a text as one of its parameters.
  func run(_ statement: OpaquePointer, binding text: String, at parameter: Int32) throws {
    var text = text
    try text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { utf8 in
        // The statement is stepped before the bytes are released: no copy is needed.
        _ = sqlite3_bind_text(statement, parameter, utf8.baseAddress, Int32(utf8.count), nil)
      }
      try run(statement)
    }
  }

  /// Checkpoints the write-ahead log.
  func checkpoint() throws {
    try check(sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
  }

  /// SQLite's message for the last failure.
  var error: BaselineError {
    BaselineError(path: path, detail: String(cString: sqlite3_errmsg(handle)))
  }

  private func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw error }
  }
}

/// SQLite's version, such as "3.40.1".
package var sqliteVersion: String { String(cString: sqlite3_libversion()) }
