import SumTree

/// A row that ends in a checksum of its other columns. Storing, reading and checking rows is
/// derived from these requirements.
protocol SealedRow {
  static var table: SealedTable { get }

  /// The columns except the checksum, in the table's order.
  var values: [ColumnValue] { get }

  /// Reads the columns except the checksum, in the table's order.
  ///
  /// - Throws: ``StoreError`` with `corrupt`.
  init(_ columns: inout RowColumns) throws

  /// Changes bits of each incarnation, so that those of two processes differ.
  mutating func maskIncarnations(_ mask: Int64)
}

extension SealedRow {
  mutating func maskIncarnations(_ mask: Int64) {}
}

/// A table of sealed rows, and their common SQL.
struct SealedTable {
  /// The name of a row in errors.
  let noun: String
  /// The column that identifies a row within its owner, and its name in errors.
  let number: (column: Int32, name: String)
  /// The names of the columns and the checksum.
  let columns: String
  /// The SQL that selects the columns and the checksum, to be followed by a `WHERE`.
  let select: String
  /// The SQL that inserts the columns and the checksum, replacing a row with the same key.
  let insert: String
  /// The end of such SQL: the replacement of a row with the same key.
  let upsert: String

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
    upsert = " ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(changes)"
    insert = "INSERT INTO \(name) (\(list)) VALUES (\(parameters))\(upsert)"
  }
}

extension ColumnValue {
  /// Returns the checksum of a row with these columns.
  static func checksum(of values: [ColumnValue], _ hash: KeyedHash) -> Int64 {
    var writer = ByteWriter()
    for value in values { value.write(to: &writer) }
    return Int64(bitPattern: writer.bytes.withUnsafeBytes { hash($0) })
  }

  /// Appends the value to the checksum's input.
  private func write(to writer: inout ByteWriter) {
    switch self {
    case .null: writer.writeUInt8(0)
    case .number(let number):
      writer.writeUInt8(1)
      writer.writeSignedVarint(number)
    case .text(let text): ColumnValue.bytes(Array(text.utf8)).write(to: &writer)
    case .bytes(let bytes):
      writer.writeUInt8(1)
      writer.writeCounted(bytes)
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
    if reader.incarnationMask != 0 { maskIncarnations(reader.incarnationMask) }
  }
}

extension StoreWriter {
  /// Stores a row, new or changed.
  func store<R: SealedRow>(_ row: R) throws { try run(R.table.insert, sealed(row)) }

  /// Returns a row's columns, and their checksum.
  func sealed<R: SealedRow>(_ row: R) -> [ColumnValue] {
    let values = row.values
    return values + [.number(ColumnValue.checksum(of: values, reader.hash))]
  }
}

extension StoreReader {
  /// Calls `body` with the rows that a condition selects, each checked before its call.
  ///
  /// - Parameter condition: The SQL from `WHERE` on.
  /// - Throws: SQLite's failures; ``StoreError`` with `corrupt` for a row; errors of `body`.
  func forEachRow<R: SealedRow>(
    _ condition: String, _ values: [ColumnValue], _ body: (R) throws -> Void
  ) throws {
    let statement = try Statement("\(R.table.select) \(condition)", db)
    statement.bind(values)
    while let row = try statement.next() { try body(R(row, reader: self)) }
  }

  /// Returns the first row that a condition selects, checked; `nil` if there is none.
  func firstRow<R: SealedRow>(_ condition: String, _ values: [ColumnValue]) throws -> R? {
    let statement = try Statement("\(R.table.select) \(condition)", db)
    statement.bind(values)
    return try statement.next().map { try R($0, reader: self) }
  }
}
