import LayoutCacheLibpq

/// The answer to a statement, in the client library's memory as long as the value lives.
struct PostgresResult: ~Copyable {
  private let handle: OpaquePointer

  init(owning handle: OpaquePointer) { self.handle = handle }

  deinit { PQclear(handle) }

  /// The error of a failed statement; `nil` if it succeeded.
  var error: PostgresError? {
    switch PQresultStatus(handle) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: nil
    case PGRES_FATAL_ERROR, PGRES_NONFATAL_ERROR: PostgresError(result: handle)
    default: PostgresError(.malformed, "the server sent an unexpected result")
    }
  }

  /// The number of rows written; 0 for a statement that writes none.
  var writtenCount: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

  var rowCount: Int { Int(PQntuples(handle)) }

  func row(_ index: Int) -> PostgresRow { PostgresRow(handle, index: Int32(index)) }
}

/// A row of a result, valid as long as the result. Columns count from 0. They are requested in
/// binary format, and must have the types that they are read as.
struct PostgresRow {
  private let handle: OpaquePointer
  private let index: Int32

  fileprivate init(_ handle: OpaquePointer, index: Int32) {
    (self.handle, self.index) = (handle, index)
  }

  /// A column's bytes; `nil` for NULL.
  private func raw(_ column: Int32) -> UnsafeRawBufferPointer? {
    if PQgetisnull(handle, index, column) == 1 { return nil }
    return UnsafeRawBufferPointer(
      start: PQgetvalue(handle, index, column), count: Int(PQgetlength(handle, index, column)))
  }

  /// - Throws: ``PostgresError`` with `malformed` if the column is NULL, as do all accessors that
  ///   do not return an optional.
  private func present(_ column: Int32) throws -> UnsafeRawBufferPointer {
    guard let bytes = raw(column) else { throw mismatch(column) }
    return bytes
  }

  /// A `smallint`, `integer` or `bigint`.
  func int64(_ column: Int32) throws -> Int64 {
    let bytes = try present(column)
    switch bytes.count {
    case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    default: throw mismatch(column)
    }
  }

  func int(_ column: Int32) throws -> Int { Int(try int64(column)) }

  func isNull(_ column: Int32) -> Bool { raw(column) == nil }

  func bool(_ column: Int32) throws -> Bool {
    let bytes = try present(column)
    guard bytes.count == 1 else { throw mismatch(column) }
    return bytes[0] != 0
  }

  func double(_ column: Int32) throws -> Double {
    let bytes = try present(column)
    guard bytes.count == 8 else { throw mismatch(column) }
    return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
  }

  func text(_ column: Int32) throws -> String {
    String(decoding: try present(column), as: UTF8.self)
  }

  /// A `bytea` or a `uuid`.
  func bytes(_ column: Int32) throws -> [UInt8] { [UInt8](try present(column)) }

  private func mismatch(_ column: Int32) -> PostgresError {
    PostgresError(.malformed, "column \(column) of a result has an unexpected value")
  }
}
