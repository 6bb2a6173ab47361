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

extension DatasetRow: SealedRow {
  static let table = SealedTable(
    "datasets", of: "dataset",
    [
      "id", "name", "space", "next_node", "revision", "section_count", "item_count", "roots",
    ])

  var values: [ColumnValue] {
    [
      .number(id), .text(name), .number(space.rawValue), .number(nextNode),
      .number(Int64(revision)), .number(Int64(sectionCount)), .number(Int64(itemCount)),
      .bytes(roots),
    ]
  }

  init(_ columns: inout RowColumns) throws {
    self.init(
      id: try columns.nextID(), name: try columns.next(),
      space: NodeSpace(rawValue: try columns.nextNumber(in: NodeSpace.range)),
      nextNode: try columns.nextNumber(in: NodeSpace.numbers),
      revision: try columns.nextRevision(), sectionCount: try columns.nextCount(),
      itemCount: try columns.nextCount(), roots: [UInt8](try columns.next(Data.self)))
  }
}

extension StoreReader {
  /// The ids of the datasets, by name.
  package func datasetIDs() throws -> [Int64] {
    try Int64.fetchAll(db, sql: "SELECT id FROM datasets ORDER BY name")
  }

  /// The dataset with an id.
  ///
  /// - Throws: ``StoreError`` with `corrupt` where the row is damaged or gone.
  package func dataset(id: Int64) throws -> DatasetRow {
    guard let row = try rows("WHERE id = ?", [id], of: DatasetRow.self).next() else {
      throw corrupt("dataset \(id) is gone")
    }
    return row
  }

  /// The dataset with a name; `nil` where there is none.
  package func dataset(named name: String) throws -> DatasetRow? {
    try rows("WHERE name = ?", [name]).next()
  }
}

extension StoreWriter {
  /// Stores a dataset's row, new or changed.
  package func put(_ row: DatasetRow) throws { try store(row) }

  /// A dataset id that no row has.
  package func freshDatasetID() throws -> Int64 {
    let last = try Int64.fetchOne(db, sql: "SELECT coalesce(max(id), 0) FROM datasets") ?? 0
    return try nextID(after: last)
  }
}
