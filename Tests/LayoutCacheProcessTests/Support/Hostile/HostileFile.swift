import LayoutStore
import SumTree
import TestSupport

/// A database file that is modified without the library, with valid checksums: their key is in
/// the file.
struct HostileFile {
  private let database: RawDatabase
  let hash: KeyedHash

  init(path: String) throws {
    database = try RawDatabase(path: path)
    let key = try database.rows("SELECT hash_key FROM database").first?[0].bytes
    hash = KeyedHash(key: key ?? [])
    try execute("PRAGMA foreign_keys = OFF")
    try execute("PRAGMA ignore_check_constraints = ON")
  }

  /// Runs a statement.
  func execute(_ sql: String, _ values: [RawDatabase.Value] = []) throws {
    try database.execute(sql, values)
  }

  /// The rows of a query.
  func rows(_ sql: String, _ values: [RawDatabase.Value] = []) throws -> [[RawDatabase.Value]] {
    try database.rows(sql, values)
  }
}

// MARK: - Nodes

extension HostileFile {
  /// The ids of all nodes.
  func nodeIDs() throws -> [Int64] {
    try rows("SELECT id FROM nodes ORDER BY id").compactMap { $0[0].number }
  }

  /// The content of a node's seal.
  func payload(of id: Int64) throws -> [UInt8] {
    let blob = try rows("SELECT payload FROM nodes WHERE id = ?", [.number(id)])[0][0].bytes
    return [UInt8]((blob ?? []).dropFirst(Seal.headerBytes))
  }

  /// Replaces a node, with a valid seal.
  func put(_ payload: [UInt8], at id: Int64) throws {
    let blob = Seal.seal(payload, identity: UInt64(bitPattern: id), hash: hash)
    try execute(
      "INSERT OR REPLACE INTO nodes (id, payload) VALUES (?, ?)", [.number(id), .bytes(blob)])
  }
}

// MARK: - Rows

/// A table whose rows are sealed.
struct HostileTable {
  let name: String
  let columns: [String]
  /// The columns that are not numbers.
  let others: Set<String>

  static let all = [
    HostileTable(
      name: "datasets",
      columns: [
        "id", "name", "space", "next_node", "revision", "section_count", "item_count", "roots",
        "incarnation", "history_begin",
      ], others: ["name", "roots"]),
    HostileTable(
      name: "layouts",
      columns: [
        "id", "dataset", "name", "configuration", "lengths_since", "space", "next_node",
        "revision", "root", "result_configuration", "incarnation", "rules", "history_begin",
        "trailing",
      ], others: ["name", "configuration", "root", "result_configuration", "trailing"]),
    HostileTable(
      name: "log",
      columns: [
        "dataset", "revision", "operations", "payload", "time", "total_operations",
        "total_bytes",
      ], others: ["payload"]),
  ]

  var numbers: [String] { columns.filter { !others.contains($0) } }
  /// The column with the engine's bytes.
  var bytes: String {
    switch name {
    case "datasets": "roots"
    case "layouts": "root"
    default: "payload"
    }
  }
}

extension HostileFile {
  /// The values of a table's rows, except the checksums.
  func values(of table: HostileTable) throws -> [[RawDatabase.Value]] {
    try rows("SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name)")
  }

  /// Replaces a row with another, with a valid checksum.
  func replace(
    _ old: [RawDatabase.Value], with new: [RawDatabase.Value], in table: HostileTable
  ) throws {
    let keys = table.name == "log" ? ["dataset", "revision"] : ["id"]
    let condition = keys.map { "\($0) = ?" }.joined(separator: " AND ")
    let list = (table.columns + ["checksum"]).joined(separator: ", ")
    let places = Array(repeating: "?", count: new.count + 1).joined(separator: ", ")
    try execute(
      "DELETE FROM \(table.name) WHERE \(condition)", Array(old.prefix(keys.count)))
    try execute(
      "INSERT OR REPLACE INTO \(table.name) (\(list)) VALUES (\(places))",
      new + [.number(checksum(of: new))])
  }

  /// As specified in docs/FORMAT.md.
  private func checksum(of values: [RawDatabase.Value]) -> Int64 {
    var writer = ByteWriter()
    for value in values {
      switch value {
      case .null: writer.writeUInt8(0)
      case .number(let number):
        writer.writeUInt8(1)
        writer.writeSignedVarint(number)
      case .text(let text): write(Array(text.utf8), to: &writer)
      case .bytes(let bytes): write(bytes, to: &writer)
      }
    }
    return Int64(bitPattern: writer.bytes.withUnsafeBytes { hash($0) })
  }

  private func write(_ bytes: [UInt8], to writer: inout ByteWriter) {
    writer.writeUInt8(1)
    writer.writeCount(bytes.count)
    writer.writeBytes(bytes)
  }
}
