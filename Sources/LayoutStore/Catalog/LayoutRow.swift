import Foundation
import GRDB

/// A row of `layouts`.
package struct LayoutRow: Sendable {
  /// A layout laid out at one revision of its dataset.
  package struct Result: Sendable {
    package var space: NodeSpace
    /// The next free node number of the space.
    package var nextNode: Int64
    /// The dataset's revision that the result belongs to.
    package var revision: Int
    /// The root of the tree of laid out sections, as the engine encodes it.
    package var root: [UInt8]

    package init(space: NodeSpace, nextNode: Int64, revision: Int, root: [UInt8]) {
      self.space = space
      self.nextNode = nextNode
      self.revision = revision
      self.root = root
    }
  }

  package let id: Int64
  package let dataset: Int64
  package var name: String
  /// The configuration as JSON.
  package var configuration: String
  /// `nil` until the layout is first prepared.
  package var result: Result?

  package init(
    id: Int64, dataset: Int64, name: String, configuration: String, result: Result?
  ) {
    self.id = id
    self.dataset = dataset
    self.name = name
    self.configuration = configuration
    self.result = result
  }
}

extension StoreReader {
  private static let columns =
    "id, dataset, name, configuration, space, next_node, revision, root"

  /// The layouts of a dataset by name.
  package func layouts(of dataset: Int64) throws -> [LayoutRow] {
    let rows = try Row.fetchCursor(
      db, sql: "SELECT \(Self.columns) FROM layouts WHERE dataset = ? ORDER BY name",
      arguments: [dataset])
    var layouts: [LayoutRow] = []
    while let row = try rows.next() { layouts.append(try layout(row)) }
    return layouts
  }

  /// The layout of a dataset with a name; `nil` where there is none.
  package func layout(named name: String, of dataset: Int64) throws -> LayoutRow? {
    let statement = try db.cachedStatement(
      sql: "SELECT \(Self.columns) FROM layouts WHERE dataset = ? AND name = ?")
    return try Row.fetchOne(statement, arguments: [dataset, name]).map(layout)
  }

  private func layout(_ row: Row) throws -> LayoutRow {
    let id: Int64 = row[0]
    var result: LayoutRow.Result?
    if let space: Int64 = row[4], let next: Int64 = row[5], let revision: Int = row[6] {
      result = LayoutRow.Result(
        space: NodeSpace(rawValue: space), nextNode: next, revision: revision,
        root: try opened(row, 7, identity: id, "the root of layout \(id)"))
    }
    return LayoutRow(
      id: id, dataset: row[1], name: row[2], configuration: row[3], result: result)
  }
}

extension StoreWriter {
  /// Stores a layout's row, new or changed.
  package func put(_ row: LayoutRow) throws {
    let root = row.result.map {
      Data(Seal.seal($0.root, identity: UInt64(row.id), hash: reader.hash))
    }
    try execute(
      """
      INSERT INTO layouts
        (id, dataset, name, configuration, space, next_node, revision, root)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET
        configuration = excluded.configuration, space = excluded.space,
        next_node = excluded.next_node, revision = excluded.revision, root = excluded.root
      """,
      [
        row.id, row.dataset, row.name, row.configuration, row.result?.space.rawValue,
        row.result?.nextNode, row.result?.revision, root,
      ])
  }

  /// A layout id that no row has.
  package func freshLayoutID() throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT coalesce(max(id), 0) + 1 FROM layouts") ?? 1
  }

  /// Deletes a layout's row and its nodes.
  package func delete(_ row: LayoutRow) throws {
    if let result = row.result { try deleteNodes(in: result.space) }
    try execute("DELETE FROM layouts WHERE id = ?", [row.id])
  }
}
