import LayoutCacheSQLite

/// A use of a prepared statement: its parameter values, and its rows in order. The end of the
/// value's lifetime resets the statement: one that is not reset keeps its transaction open.
///
/// A connection keeps each statement prepared. Two values with the same SQL share one statement,
/// so the first must end before the second is created.
struct Statement: ~Copyable {
  private let connection: Connection
  private let handle: OpaquePointer
  private let isKept: Bool

  /// Uses the connection's prepared statement, or prepares it.
  ///
  /// - Parameter sql: A constant: one statement stays prepared per text.
  init(_ sql: String, _ connection: Connection) throws {
    self.connection = connection
    handle = try connection.prepared(sql)
    isKept = true
    precondition(sqlite3_stmt_busy(handle) == 0, "a statement is already in use")
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

  /// Binds values to the first parameters, in order.
  func bind(_ values: [ColumnValue]) {
    for (index, value) in values.enumerated() { bind(value, at: Int32(index + 1)) }
  }

  /// Binds a value to a parameter, which SQLite copies. Parameters count from 1.
  func bind(_ value: ColumnValue, at index: Int32) {
    let code =
      switch value {
      case .null: sqlite3_bind_null(handle, index)
      case .number(let number): sqlite3_bind_int64(handle, index, number)
      case .text(let text):
        sqlite3_bind_text64(
          handle, index, text, UInt64(text.utf8.count), Self.copies, UInt8(SQLITE_UTF8))
      // Empty bytes may have a null address, which would mean NULL.
      case .bytes([]): sqlite3_bind_zeroblob(handle, index, 0)
      case .bytes(let bytes):
        sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), Self.copies)
      }
    // All stored values are far below SQLite's limits.
    assert(code == SQLITE_OK, "no parameter \(index)")
  }

  /// Continues to the next row.
  ///
  /// - Returns: The row, valid until the next step; `nil` if there is none.
  /// - Throws: ``SQLiteError``.
  func next() throws -> Row? {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return Row(handle)
    case SQLITE_DONE: return nil
    case let code:
      throw SQLiteError(code, on: connection.handle, sql: String(cString: sqlite3_sql(handle)))
    }
  }

  /// Runs a statement that returns no rows.
  ///
  /// - Parameter values: The parameter values, in order.
  /// - Throws: ``SQLiteError``.
  func run(_ values: [ColumnValue] = []) throws {
    bind(values)
    let row = try next()
    assert(row == nil)
    // Reset for another run.
    sqlite3_reset(handle)
  }

  /// Returns the first column of the first row; `nil` without a row, and for NULL.
  ///
  /// - Throws: ``SQLiteError``; with SQLITE_MISMATCH if the column has another type, as in a
  ///   damaged file.
  func value<Value: ColumnConvertible>(
    _ values: [ColumnValue] = [], as: Value.Type = Value.self
  ) throws -> Value? {
    bind(values)
    return try next()?.value(at: 0)
  }

  /// Returns the first column of all rows.
  ///
  /// - Throws: As ``value(_:as:)``, and if the column is NULL.
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
