import GRDB
import GRDBSQLite

/// A statement that is stepped by hand. Through GRDB a row costs 2 to 6 times as much,
/// and a transaction another commit's time; reading a node is what everything else
/// waits for.
///
/// It belongs to its connection, which keeps it prepared: two values of the same SQL
/// are one statement, so one is done with before the next is made.
struct Statement {
  private let db: Database
  private let handle: SQLiteStatement

  /// Takes the statement out of the connection's cache, or prepares it; it stands before
  /// its first row.
  init(_ sql: String, _ db: Database) throws {
    self.db = db
    handle = try db.cachedStatement(sql: sql).sqliteStatement
    reset()
  }

  /// Gives a parameter a value, of which SQLite takes a copy; parameters count from 1.
  func bind(_ value: ColumnValue, at index: Int32) {
    switch value {
    case .null: sqlite3_bind_null(handle, index)
    case .number(let number): sqlite3_bind_int64(handle, index, number)
    case .text(let text):
      sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), Self.copies)
    // No bytes may have no address, which would say NULL.
    case .bytes([]): sqlite3_bind_zeroblob(handle, index, 0)
    case .bytes(let bytes):
      sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), Self.copies)
    }
  }

  /// Goes on to the next row.
  ///
  /// - Returns: Whether there is one.
  /// - Throws: SQLite's failure.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
    }
  }

  /// The bytes in a column of the present row; they last until the next step.
  func bytes(at column: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: sqlite3_column_blob(handle, column),
      count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// Goes back before the first row. A statement that is not reset keeps its
  /// transaction open.
  func reset() { sqlite3_reset(handle) }

  /// Runs a statement that answers no rows.
  ///
  /// - Parameter values: Those of its parameters, in order.
  /// - Throws: As ``step()``.
  func run(_ values: [ColumnValue] = []) throws {
    defer {
      reset()
      sqlite3_clear_bindings(handle)
    }
    for (index, value) in values.enumerated() { bind(value, at: Int32(index + 1)) }
    let hasRow = try step()
    assert(!hasRow)
  }

  /// SQLITE_TRANSIENT, which Swift does not import.
  private static let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
