import LayoutCacheSQLite

/// A failure that SQLite reports.
///
/// Source: https://sqlite.org/rescode.html.
struct SQLiteError: Error, Hashable {
  /// The extended result code, such as SQLITE_IOERR_READ.
  let extendedCode: Int32
  /// SQLite's message, in English.
  let message: String
  /// The SQL of the statement. All SQL is constant in this module, and user input is bound.
  let sql: String?
  /// Whether the commit failed, and not a statement before it.
  var isOfCommit = false

  /// The primary result code, such as SQLITE_IOERR.
  var code: Int32 { extendedCode & 0xFF }

  init(_ extendedCode: Int32, message: String, sql: String? = nil) {
    (self.extendedCode, self.message, self.sql) = (extendedCode, message, sql)
  }

  /// Creates the error of the last call on a connection.
  ///
  /// - Parameters:
  ///   - code: The result code of the call.
  ///   - handle: The connection; `nil` if there is none, or the call was not on it.
  init(_ code: Int32, on handle: OpaquePointer? = nil, sql: String? = nil) {
    let message = handle.map { String(cString: sqlite3_errmsg($0)) }
    self.init(code, message: message ?? String(cString: sqlite3_errstr(code)), sql: sql)
  }
}
