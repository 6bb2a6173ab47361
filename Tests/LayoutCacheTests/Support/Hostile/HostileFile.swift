import Foundation
import GRDB
import LayoutStore
import SumTree

/// A database file that is changed behind the library's back, with checksums that are
/// right: the key that they are taken under is in the file.
struct HostileFile {
  private let queue: DatabaseQueue
  let hash: KeyedHash

  init(path: String) throws {
    queue = try DatabaseQueue(path: path)
    let key = try queue.read {
      try Data.fetchOne($0, sql: "SELECT hash_key FROM database") ?? Data()
    }
    hash = KeyedHash(key: [UInt8](key))
    try execute("PRAGMA foreign_keys = OFF")
    try execute("PRAGMA ignore_check_constraints = ON")
  }

  func close() throws { try queue.close() }

  /// Runs a statement.
  func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: sql, arguments: arguments) }
  }

  /// The rows of a query.
  func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
    try queue.read { try Row.fetchAll($0, sql: sql, arguments: arguments) }
  }
}

// MARK: - Nodes

extension HostileFile {
  /// The ids of all nodes.
  func nodeIDs() throws -> [Int64] {
    try rows("SELECT id FROM nodes ORDER BY id").map { $0[0] }
  }

  /// What is in a node's seal.
  func payload(of id: Int64) throws -> [UInt8] {
    let blob: Data = try rows("SELECT payload FROM nodes WHERE id = ?", [id])[0][0]
    return [UInt8](blob.dropFirst(Seal.headerBytes))
  }

  /// Replaces a node, with the seal that it takes.
  func put(_ payload: [UInt8], at id: Int64) throws {
    let blob = Seal.seal(payload, identity: UInt64(bitPattern: id), hash: hash)
    try execute(
      "INSERT OR REPLACE INTO nodes (id, payload) VALUES (?, ?)", [id, Data(blob)])
  }
}

// MARK: - Rows

/// A table whose rows are sealed.
struct HostileTable {
  let name: String
  let columns: [String]
  /// The columns that are no number.
  let others: Set<String>

  static let all = [
    HostileTable(
      name: "datasets",
      columns: [
        "id", "name", "space", "next_node", "revision", "section_count", "item_count", "roots",
        "incarnation",
      ], others: ["name", "roots"]),
    HostileTable(
      name: "layouts",
      columns: [
        "id", "dataset", "name", "configuration", "space", "next_node", "revision", "root",
        "result_configuration", "incarnation", "rules",
      ], others: ["name", "configuration", "root", "result_configuration"]),
    HostileTable(
      name: "log",
      columns: [
        "dataset", "revision", "operations", "payload", "time", "total_operations",
        "total_bytes",
      ], others: ["payload"]),
  ]

  var numbers: [String] { columns.filter { !others.contains($0) } }
  /// The column with bytes of the engine's.
  var bytes: String {
    switch name {
    case "datasets": "roots"
    case "layouts": "root"
    default: "payload"
    }
  }
}

extension HostileFile {
  /// The values of a table's rows but for the checksums.
  func values(of table: HostileTable) throws -> [[DatabaseValue]] {
    try rows("SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name)").map { row in
      table.columns.indices.map { row[$0] }
    }
  }

  /// Puts a row in the place of another, with the checksum that it takes.
  func replace(
    _ old: [DatabaseValue], with new: [DatabaseValue], in table: HostileTable
  ) throws {
    let keys = table.name == "log" ? ["dataset", "revision"] : ["id"]
    let condition = keys.map { "\($0) = ?" }.joined(separator: " AND ")
    let list = (table.columns + ["checksum"]).joined(separator: ", ")
    let places = Array(repeating: "?", count: new.count + 1).joined(separator: ", ")
    try execute(
      "DELETE FROM \(table.name) WHERE \(condition)",
      StatementArguments(Array(old.prefix(keys.count))))
    try execute(
      "INSERT OR REPLACE INTO \(table.name) (\(list)) VALUES (\(places))",
      StatementArguments(new + [checksum(of: new).databaseValue]))
  }

  /// As docs/FORMAT.md says.
  private func checksum(of values: [DatabaseValue]) -> Int64 {
    var writer = ByteWriter()
    for value in values {
      switch value.storage {
      case .null: writer.writeUInt8(0)
      case .int64(let number):
        writer.writeUInt8(1)
        writer.writeSignedVarint(number)
      case .double: break
      case .string(let text): write(Array(text.utf8), to: &writer)
      case .blob(let data): write([UInt8](data), to: &writer)
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
