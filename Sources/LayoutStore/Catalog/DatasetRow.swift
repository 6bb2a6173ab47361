import Foundation
import GRDB

/// A row of `datasets`.
package struct DatasetRow: Sendable {
  package let id: Int64
  package var name: String
  package var space: NodeSpace
  /// The next free node number of the space.
  package var nextNode: Int64
  /// The number of committed changes.
  package var revision: Int
  package var sectionCount: Int
  package var itemCount: Int
  /// The roots of the dataset's trees, as the engine encodes them.
  package var roots: [UInt8]

  package init(
    id: Int64, name: String, space: NodeSpace, nextNode: Int64, revision: Int,
    sectionCount: Int, itemCount: Int, roots: [UInt8]
  ) {
    self.id = id
    self.name = name
    self.space = space
    self.nextNode = nextNode
    self.revision = revision
    self.sectionCount = sectionCount
    self.itemCount = itemCount
    self.roots = roots
  }
}

extension StoreReader {
  private static let columns =
    "id, name, space, next_node, revision, section_count, item_count, roots"

  /// The datasets by name.
  package func forEachDataset(_ body: (DatasetRow) throws -> Void) throws {
    let rows = try Row.fetchCursor(
      db, sql: "SELECT \(Self.columns) FROM datasets ORDER BY name")
    while let row = try rows.next() { try body(dataset(row)) }
  }

  /// The dataset with a name; `nil` where there is none.
  package func dataset(named name: String) throws -> DatasetRow? {
    let statement = try db.cachedStatement(
      sql: "SELECT \(Self.columns) FROM datasets WHERE name = ?")
    return try Row.fetchOne(statement, arguments: [name]).map(dataset)
  }

  private func dataset(_ row: Row) throws -> DatasetRow {
    let id: Int64 = row[0]
    return DatasetRow(
      id: id, name: row[1], space: NodeSpace(rawValue: row[2]), nextNode: row[3],
      revision: row[4], sectionCount: row[5], itemCount: row[6],
      roots: try opened(row, 7, identity: id, "the roots of dataset \(id)"))
  }

  /// The payload of a sealed column.
  func opened(_ row: Row, _ column: Int, identity: Int64, _ name: String) throws -> [UInt8] {
    try row.withUnsafeData(atIndex: column) { data in
      guard let data else { throw corrupt("\(name) are missing") }
      return try data.withUnsafeBytes { blob in
        do {
          return [UInt8](try Seal.open(blob, identity: UInt64(identity), hash: hash))
        } catch let breach as Seal.Breach {
          throw corrupt("\(name) \(breach.rawValue)")
        }
      }
    }
  }
}

extension StoreWriter {
  /// Stores a dataset's row, new or changed.
  package func put(_ row: DatasetRow) throws {
    let roots = Seal.seal(row.roots, identity: UInt64(row.id), hash: reader.hash)
    try execute(
      """
      INSERT INTO datasets
        (id, name, space, next_node, revision, section_count, item_count, roots)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET
        space = excluded.space, next_node = excluded.next_node, revision = excluded.revision,
        section_count = excluded.section_count, item_count = excluded.item_count,
        roots = excluded.roots
      """,
      [
        row.id, row.name, row.space.rawValue, row.nextNode, row.revision, row.sectionCount,
        row.itemCount, Data(roots),
      ])
  }

  /// A dataset id that no row has.
  package func freshDatasetID() throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT coalesce(max(id), 0) + 1 FROM datasets") ?? 1
  }
}
