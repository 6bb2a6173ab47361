import LayoutCacheSQLite

/// A failure that SQLite reports.
///
/// Source: https://sqlite.org/rescode.html.
struct SQLiteError: Error, Hashable {
  /// The extended result code, such as SQLITE_IOERR_READ.
  let extendedCode: Int32
  /// What SQLite says in English.
  let message: String
  /// The statement. All are constants of this module: what users bring is bound.
  let sql: String?
  /// Whether it was the commit that failed, and not a statement before it.
  var isOfCommit = false

  /// The primary result code, such as SQLITE_IOERR.
  var code: Int32 { extendedCode & 0xFF }

  init(_ extendedCode: Int32, message: String, sql: String? = nil) {
    self.extendedCode = extendedCode
    self.message = message
    self.sql = sql
  }

  /// The failure of the last call on a connection.
  ///
  /// - Parameters:
  ///   - code: What the call has returned.
  ///   - handle: The connection; `nil` where there is none, or the call was not on it.
  init(_ code: Int32, on handle: OpaquePointer? = nil, sql: String? = nil) {
    let message = handle.map { String(cString: sqlite3_errmsg($0)) }
    self.init(code, message: message ?? String(cString: sqlite3_errstr(code)), sql: sql)
  }
}
