import SumTree

/// A row that ends in a checksum of its other columns. What a type states here is all
/// that storing, reading and checking its rows follow from.
protocol SealedRow {
  static var table: SealedTable { get }

  /// The columns but for the checksum, in the table's order.
  var values: [ColumnValue] { get }

  /// Reads the columns but for the checksum, in the table's order.
  ///
  /// - Throws: ``StoreError`` with `corrupt`.
  init(_ columns: inout RowColumns) throws
}

/// A table of sealed rows, and the SQL that all of them have in common.
struct SealedTable {
  /// The name of a row in errors.
  let noun: String
  /// The column that tells one row of an owner's from the others, and what errors call it.
  let number: (column: Int32, name: String)
  /// The columns and the checksum.
  let columns: String
  /// Selects the columns and the checksum; a `WHERE` follows.
  let select: String
  /// Inserts the columns and the checksum. The row takes the place of the one with the same
  /// key.
  let insert: String

  /// - Parameter key: The columns of the primary key.
  init(
    _ name: String, of noun: String, number: (column: Int32, name: String) = (0, "number"),
    key: [String] = ["id"], _ columns: [String]
  ) {
    self.noun = noun
    self.number = number
    let columns = columns + ["checksum"]
    let list = columns.joined(separator: ", ")
    self.columns = list
    let parameters = Array(repeating: "?", count: columns.count).joined(separator: ", ")
    let changes = columns.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }
      .joined(separator: ", ")
    select = "SELECT \(list) FROM \(name)"
    insert =
      "INSERT INTO \(name) (\(list)) VALUES (\(parameters))"
      + " ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(changes)"
  }
}

extension ColumnValue {
  /// Returns the seal of a row of these columns.
  static func checksum(of values: [ColumnValue], _ hash: KeyedHash) -> Int64 {
    var writer = ByteWriter()
    for value in values { value.write(to: &writer) }
    return Int64(bitPattern: writer.bytes.withUnsafeBytes { hash($0) })
  }

  /// Adds the value to what a checksum is taken of.
  private func write(to writer: inout ByteWriter) {
    switch self {
    case .null: writer.writeUInt8(0)
    case .number(let number):
      writer.writeUInt8(1)
      writer.writeSignedVarint(number)
    case .text(let text): ColumnValue.bytes(Array(text.utf8)).write(to: &writer)
    case .bytes(let bytes):
      writer.writeUInt8(1)
      writer.writeCount(bytes.count)
      writer.writeBytes(bytes)
    }
  }
}

extension SealedRow {
  /// Reads a row and checks it.
  fileprivate init(_ row: Row, reader: StoreReader) throws {
    let (column, name) = Self.table.number
    let number = row.int64(at: column).map(String.init) ?? "without a \(name)"
    var columns = RowColumns(row, "\(Self.table.noun) \(number)", path: reader.path)
    try self.init(&columns)
    guard try columns.next() == ColumnValue.checksum(of: values, reader.hash) else {
      throw columns.corrupt("the row has a wrong checksum")
    }
  }
}

extension StoreWriter {
  /// Stores a row, new or changed.
  func store<R: SealedRow>(_ row: R) throws { try run(R.table.insert, sealed(row)) }

  /// A row's columns, and their checksum.
  func sealed<R: SealedRow>(_ row: R) -> [ColumnValue] {
    let values = row.values
    return values + [.number(ColumnValue.checksum(of: values, reader.hash))]
  }
}

extension StoreReader {
  /// Calls `body` with the rows that a condition chooses, each checked when it is its turn.
  ///
  /// - Parameter condition: From `WHERE` on.
  /// - Throws: SQLite's failures; ``StoreError`` with `corrupt` for a row; what `body`
  ///   throws.
  func forEachRow<R: SealedRow>(
    _ condition: String, _ values: [ColumnValue], _ body: (R) throws -> Void
  ) throws {
    let statement = try Statement("\(R.table.select) \(condition)", db)
    statement.bind(values)
    while let row = try statement.next() { try body(R(row, reader: self)) }
  }

  /// The one row that a condition chooses, checked; `nil` where there is none.
  func firstRow<R: SealedRow>(_ condition: String, _ values: [ColumnValue]) throws -> R? {
    let statement = try Statement("\(R.table.select) \(condition)", db)
    statement.bind(values)
    return try statement.next().map { try R($0, reader: self) }
  }
}
