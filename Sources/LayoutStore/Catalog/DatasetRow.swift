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

extension DatasetRow {
  func checksum(_ hash: KeyedHash) -> Int64 {
    var checksum = RowChecksum()
    checksum.add(id)
    checksum.add(name)
    checksum.add(space.rawValue)
    checksum.add(nextNode)
    checksum.add(Int64(revision))
    checksum.add(Int64(sectionCount))
    checksum.add(Int64(itemCount))
    checksum.add(roots)
    return checksum.value(hash)
  }

  /// Reads a row and checks it.
  ///
  /// - Throws: ``StoreError`` with `corrupt`.
  fileprivate init(_ row: Row, reader: StoreReader) throws {
    let id = Int64.fromDatabaseValue(row[0])
    var columns = RowColumns(
      row, "dataset \(id.map(String.init) ?? "without a number")", path: reader.path)
    let counts: ClosedRange<Int64> = 0...Int64(Int.max)
    self.init(
      id: try columns.next(), name: try columns.next(),
      space: NodeSpace(rawValue: try columns.nextNumber(in: NodeSpace.range)),
      nextNode: try columns.nextNumber(in: NodeSpace.numbers),
      revision: Int(try columns.nextNumber(in: counts)),
      sectionCount: Int(try columns.nextNumber(in: counts)),
      itemCount: Int(try columns.nextNumber(in: counts)),
      roots: [UInt8](try columns.next(Data.self)))
    guard try columns.next() == checksum(reader.hash) else {
      throw columns.corrupt("the row has a wrong checksum")
    }
  }
}

extension StoreReader {
  private static let columns =
    "id, name, space, next_node, revision, section_count, item_count, roots, checksum"

  /// The ids of the datasets, by name.
  package func datasetIDs() throws -> [Int64] {
    try Int64.fetchAll(db, sql: "SELECT id FROM datasets ORDER BY name")
  }

  /// The dataset with an id.
  ///
  /// - Throws: ``StoreError`` with `corrupt` where the row is damaged or gone.
  package func dataset(id: Int64) throws -> DatasetRow {
    let statement = try db.cachedStatement(
      sql: "SELECT \(Self.columns) FROM datasets WHERE id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id]) else {
      throw corrupt("dataset \(id) is gone")
    }
    return try DatasetRow(row, reader: self)
  }

  /// The dataset with a name; `nil` where there is none.
  package func dataset(named name: String) throws -> DatasetRow? {
    let statement = try db.cachedStatement(
      sql: "SELECT \(Self.columns) FROM datasets WHERE name = ?")
    return try Row.fetchOne(statement, arguments: [name]).map { try DatasetRow($0, reader: self) }
  }
}

extension StoreWriter {
  /// Stores a dataset's row, new or changed.
  package func put(_ row: DatasetRow) throws {
    try execute(
      """
      INSERT INTO datasets
        (id, name, space, next_node, revision, section_count, item_count, roots, checksum)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET
        space = excluded.space, next_node = excluded.next_node, revision = excluded.revision,
        section_count = excluded.section_count, item_count = excluded.item_count,
        roots = excluded.roots, checksum = excluded.checksum
      """,
      [
        row.id, row.name, row.space.rawValue, row.nextNode, row.revision, row.sectionCount,
        row.itemCount, Data(row.roots), row.checksum(reader.hash),
      ])
  }

  /// A dataset id that no row has.
  package func freshDatasetID() throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT coalesce(max(id), 0) + 1 FROM datasets") ?? 1
  }
}
