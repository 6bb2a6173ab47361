import LayoutCacheSQLite

/// A use of a prepared statement: its parameters' values, and its rows one after the other.
/// It ends with the value, which leaves the statement as it was: a statement that is not
/// reset keeps its transaction open.
///
/// A connection keeps each statement prepared. Two values of the same SQL are one
/// statement there, so the first is done with before the second is made.
struct Statement: ~Copyable {
  private let connection: Connection
  private let handle: OpaquePointer
  private let isKept: Bool

  /// Takes the statement that the connection keeps, or prepares it.
  ///
  /// - Parameter sql: A constant: as many statements are kept as there are texts.
  init(_ sql: String, _ connection: Connection) throws {
    self.connection = connection
    handle = try connection.prepared(sql)
    isKept = true
    precondition(sqlite3_stmt_busy(handle) == 0, "a statement is used within its own use")
  }

  /// Prepares a statement that is used once.
  init(once sql: String, _ connection: Connection) throws {
    self.connection = connection
    handle = try connection.prepare(sql)
    isKept = false
  }

  deinit {
    if isKept {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    } else {
      sqlite3_finalize(handle)
    }
  }

  /// Gives the first parameters values, in order.
  func bind(_ values: [ColumnValue]) {
    for (index, value) in values.enumerated() { bind(value, at: Int32(index + 1)) }
  }

  /// Gives a parameter a value, of which SQLite takes a copy; parameters count from 1.
  func bind(_ value: ColumnValue, at index: Int32) {
    let code =
      switch value {
      case .null: sqlite3_bind_null(handle, index)
      case .number(let number): sqlite3_bind_int64(handle, index, number)
      case .text(let text):
        sqlite3_bind_text64(
          handle, index, text, UInt64(text.utf8.count), Self.copies, UInt8(SQLITE_UTF8))
      // No bytes may have no address, which would say NULL.
      case .bytes([]): sqlite3_bind_zeroblob(handle, index, 0)
      case .bytes(let bytes):
        sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), Self.copies)
      }
    // All that is stored is far below SQLite's limits.
    assert(code == SQLITE_OK, "there is no parameter \(index)")
  }

  /// Continues to the next row.
  ///
  /// - Returns: The row, which lasts until the next step; `nil` where there is none.
  /// - Throws: ``SQLiteError``.
  func next() throws -> Row? {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return Row(handle)
    case SQLITE_DONE: return nil
    case let code:
      throw SQLiteError(code, on: connection.handle, sql: String(cString: sqlite3_sql(handle)))
    }
  }

  /// Runs a statement that answers no rows.
  ///
  /// - Parameter values: Those of its parameters, in order.
  /// - Throws: ``SQLiteError``.
  func run(_ values: [ColumnValue] = []) throws {
    bind(values)
    let row = try next()
    assert(row == nil)
    // A statement that is run again is before its first step.
    sqlite3_reset(handle)
  }

  /// The first column of the first row; `nil` without a row, and for NULL.
  ///
  /// - Throws: ``SQLiteError``; with SQLITE_MISMATCH where the column has another type,
  ///   which is a damaged file's.
  func value<Value: ColumnConvertible>(
    _ values: [ColumnValue] = [], as: Value.Type = Value.self
  ) throws -> Value? {
    bind(values)
    return try next()?.value(at: 0)
  }

  /// The first column of all rows.
  ///
  /// - Throws: As ``value(_:as:)``, and where the column is NULL.
  func values<Value: ColumnConvertible>(
    _ values: [ColumnValue] = [], as: Value.Type = Value.self
  ) throws -> [Value] {
    bind(values)
    var all: [Value] = []
    while let row = try next() {
      guard let value: Value = try row.value(at: 0) else { throw SQLiteError(SQLITE_MISMATCH) }
      all.append(value)
    }
    return all
  }

  /// SQLITE_TRANSIENT, which Swift does not import.
  private static let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
