/// Reads the columns of a row in order, and checks their types: in a damaged file a value need
/// not have the type of the schema.
struct RowColumns {
  private let row: Row
  private let name: String
  private let path: String
  private var index: Int32 = 0

  /// - Parameter name: The row's name in errors.
  init(_ row: Row, _ name: String, path: String) {
    (self.row, self.name, self.path) = (row, name, path)
  }

  /// Reads the next column.
  ///
  /// - Throws: ``StoreError`` with `corrupt` for NULL and for another type.
  mutating func next<T: ColumnConvertible>(_ type: T.Type = T.self) throws -> T {
    guard let value = try nextIfPresent(T.self) else {
      throw corrupt("column \(index - 1) is missing")
    }
    return value
  }

  /// Reads the next column; `nil` for NULL.
  mutating func nextIfPresent<T: ColumnConvertible>(_ type: T.Type = T.self) throws -> T? {
    defer { index += 1 }
    if row.isNull(at: index) { return nil }
    guard let value = T(row, index) else { throw corrupt("column \(index) has a wrong type") }
    return value
  }

  /// Reads the next column as a number in a range.
  mutating func nextNumber(in range: ClosedRange<Int64>) throws -> Int64 {
    let number: Int64 = try next()
    guard range.contains(number) else { throw corrupt("column \(index - 1) is out of range") }
    return number
  }

  /// The maximum of ids and revisions, so that adding one never overflows.
  static let numberMax: Int64 = 1 << 53

  /// Reads the next column as the id of a dataset or layout.
  mutating func nextID() throws -> Int64 { try nextNumber(in: 1...Self.numberMax) }

  /// Reads the next column as a revision.
  mutating func nextRevision() throws -> Int { Int(try nextNumber(in: 0...Self.numberMax)) }

  /// Reads the next column as a count.
  mutating func nextCount() throws -> Int { Int(try nextNumber(in: 0...Int64(Int.max))) }

  func corrupt(_ detail: String) -> StoreError {
    StoreError(.corrupt(detail: "\(name): \(detail)"), path: path)
  }
}

/// A value of a column or a parameter.
enum ColumnValue {
  case null
  case number(Int64)
  case text(String)
  case bytes([UInt8])
}
