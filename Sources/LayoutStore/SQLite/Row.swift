import LayoutCacheSQLite

/// The current row of a statement, valid until the statement's next step. Columns count from 0.
struct Row {
  private let handle: OpaquePointer

  /// - Parameter handle: A statement positioned at a row.
  init(_ handle: OpaquePointer) { self.handle = handle }

  func isNull(at column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// Returns a column's value; `nil` for NULL.
  ///
  /// - Throws: ``SQLiteError`` with SQLITE_MISMATCH if it has another type: values are not
  ///   converted.
  func value<Value: ColumnConvertible>(
    at column: Int32, as: Value.Type = Value.self
  ) throws -> Value? {
    if isNull(at: column) { return nil }
    guard let value = Value(self, column) else { throw SQLiteError(SQLITE_MISMATCH) }
    return value
  }

  /// Returns a column's integer; `nil` for any other type.
  func int64(at column: Int32) -> Int64? {
    guard sqlite3_column_type(handle, column) == SQLITE_INTEGER else { return nil }
    return sqlite3_column_int64(handle, column)
  }

  func double(at column: Int32) -> Double? {
    guard sqlite3_column_type(handle, column) == SQLITE_FLOAT else { return nil }
    return sqlite3_column_double(handle, column)
  }

  /// Returns a column's text, with invalid UTF-8 replaced; `nil` for any other type.
  func text(at column: Int32) -> String? {
    guard sqlite3_column_type(handle, column) == SQLITE_TEXT,
      let bytes = sqlite3_column_text(handle, column)
    else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// Returns a column's bytes, in SQLite's memory and valid as long as the row; `nil` for any
  /// other type.
  func bytes(at column: Int32) -> UnsafeRawBufferPointer? {
    guard sqlite3_column_type(handle, column) == SQLITE_BLOB else { return nil }
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }
}

/// A type that a column can hold, without conversions.
protocol ColumnConvertible {
  /// - Returns: `nil` if the column has a value of another type.
  init?(_ row: Row, _ column: Int32)
}

extension Int64: ColumnConvertible {
  init?(_ row: Row, _ column: Int32) {
    guard let number = row.int64(at: column) else { return nil }
    self = number
  }
}

extension Int: ColumnConvertible {
  init?(_ row: Row, _ column: Int32) {
    guard let number = row.int64(at: column) else { return nil }
    self.init(number)
  }
}

extension Double: ColumnConvertible {
  init?(_ row: Row, _ column: Int32) {
    guard let number = row.double(at: column) else { return nil }
    self = number
  }
}

extension String: ColumnConvertible {
  init?(_ row: Row, _ column: Int32) {
    guard let text = row.text(at: column) else { return nil }
    self = text
  }
}

extension [UInt8]: ColumnConvertible {
  init?(_ row: Row, _ column: Int32) {
    guard let bytes = row.bytes(at: column) else { return nil }
    self.init(bytes)
  }
}
