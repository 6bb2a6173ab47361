import LayoutCacheSQLite

/// A database file, accessed directly through SQLite: tests inspect it and change it without
/// the library. It shares no code with the library.
public final class RawDatabase {
  /// A SQLite error.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// The value of a column.
  public enum Value: Hashable, Sendable {
    case null
    case number(Int64)
    case text(String)
    case bytes([UInt8])

    public var number: Int64? {
      guard case .number(let number) = self else { return nil }
      return number
    }

    public var text: String? {
      guard case .text(let text) = self else { return nil }
      return text
    }

    public var bytes: [UInt8]? {
      guard case .bytes(let bytes) = self else { return nil }
      return bytes
    }
  }

  private let handle: OpaquePointer

  /// Opens or creates a file. It is closed when the value is released.
  public init(path: String) throws {
    var handle: OpaquePointer?
    let code = sqlite3_open(path, &handle)
    guard let handle, code == SQLITE_OK else {
      sqlite3_close(handle)
      throw Failure(description: "\(path): \(String(cString: sqlite3_errstr(code)))")
    }
    self.handle = handle
  }

  deinit { sqlite3_close(handle) }

  /// Runs a statement, or several without parameters, one after the other.
  public func execute(_ sql: String, _ values: [Value] = []) throws {
    if values.isEmpty {
      try check(sqlite3_exec(handle, sql, nil, nil, nil))
    } else {
      _ = try rows(sql, values)
    }
  }

  /// The rows of a query.
  public func rows(_ sql: String, _ values: [Value] = []) throws -> [[Value]] {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() {
      try check(Self.bind(value, at: Int32(index + 1), of: statement))
    }
    var rows: [[Value]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append((0..<sqlite3_column_count(statement)).map { Self.value(at: $0, of: statement) })
      case SQLITE_DONE: return rows
      case let code: try check(code)
      }
    }
  }

  /// The first column of a query's first row; `nil` if it is not a number.
  public func number(_ sql: String) throws -> Int64? { try rows(sql).first?.first?.number }

  private func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw Failure(description: String(cString: sqlite3_errmsg(handle))) }
  }

  private static func bind(
    _ value: Value, at index: Int32, of statement: OpaquePointer?
  ) -> Int32 {
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .number(let number): sqlite3_bind_int64(statement, index, number)
    case .text(let text): sqlite3_bind_text(statement, index, text, -1, copies)
    case .bytes([]): sqlite3_bind_zeroblob(statement, index, 0)
    case .bytes(let bytes):
      sqlite3_bind_blob64(statement, index, bytes, UInt64(bytes.count), copies)
    }
  }

  /// - Precondition: The column holds no floating-point number; the library stores none.
  private static func value(at column: Int32, of statement: OpaquePointer?) -> Value {
    let count = Int(sqlite3_column_bytes(statement, column))
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .number(sqlite3_column_int64(statement, column))
    case SQLITE_TEXT:
      let text = UnsafeBufferPointer(start: sqlite3_column_text(statement, column), count: count)
      return .text(String(decoding: text, as: UTF8.self))
    case SQLITE_BLOB:
      let bytes = UnsafeRawBufferPointer(
        start: sqlite3_column_blob(statement, column), count: count)
      return .bytes([UInt8](bytes))
    case SQLITE_NULL: return .null
    default: preconditionFailure("a column holds a floating-point number")
    }
  }

  /// SQLITE_TRANSIENT, which Swift does not import.
  private static let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
