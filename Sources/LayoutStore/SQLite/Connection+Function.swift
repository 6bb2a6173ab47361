import LayoutCacheSQLite

extension Connection {
  /// Adds a function of any number of arguments that SQL can call, for as long as the
  /// connection is open; equal arguments have equal values.
  ///
  /// - Parameter body: Takes the arguments; a floating-point number is taken for NULL.
  func addFunction(_ name: String, _ body: @escaping ([ColumnValue]) -> Int64) throws {
    let function = Unmanaged.passRetained(Function(body))
    try check(
      sqlite3_create_function_v2(
        handle, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, function.toOpaque(),
        { context, count, arguments in
          guard let context, let function = sqlite3_user_data(context) else { return }
          let values = (0..<Int(count)).map { ColumnValue(arguments?[$0]) }
          let body = Unmanaged<Function>.fromOpaque(function).takeUnretainedValue().body
          sqlite3_result_int64(context, body(values))
        }, nil, nil,
        // Called where it fails, too.
        { function in function.map { Unmanaged<Function>.fromOpaque($0).release() } }))
  }
}

private final class Function {
  let body: ([ColumnValue]) -> Int64

  init(_ body: @escaping ([ColumnValue]) -> Int64) { self.body = body }
}

extension ColumnValue {
  fileprivate init(_ value: OpaquePointer?) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: self = .number(sqlite3_value_int64(value))
    case SQLITE_TEXT:
      let bytes = UnsafeBufferPointer(
        start: sqlite3_value_text(value), count: Int(sqlite3_value_bytes(value)))
      self = .text(String(decoding: bytes, as: UTF8.self))
    case SQLITE_BLOB:
      let bytes = UnsafeRawBufferPointer(
        start: sqlite3_value_blob(value), count: Int(sqlite3_value_bytes(value)))
      self = .bytes([UInt8](bytes))
    default: self = .null
    }
  }
}
