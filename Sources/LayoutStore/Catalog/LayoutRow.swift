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
    /// The configuration that the result was made with, as JSON.
    package var configuration: String

    package init(
      space: NodeSpace, nextNode: Int64, revision: Int, root: [UInt8], configuration: String
    ) {
      self.configuration = configuration
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

  /// Whether the result is of another configuration than the present one.
  package var isOutdated: Bool { result.map { $0.configuration != configuration } ?? false }

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

extension LayoutRow {
  func checksum(_ hash: KeyedHash) -> Int64 {
    var checksum = RowChecksum()
    checksum.add(id)
    checksum.add(dataset)
    checksum.add(name)
    checksum.add(configuration)
    checksum.add(result?.space.rawValue)
    checksum.add(result?.nextNode)
    checksum.add(result.map { Int64($0.revision) })
    checksum.add(result?.root)
    // Rows from before there was this column have a checksum without it.
    if let result, isOutdated { checksum.add(result.configuration) }
    return checksum.value(hash)
  }

  /// Reads a row and checks it.
  ///
  /// - Throws: ``StoreError`` with `corrupt`.
  fileprivate init(_ row: Row, reader: StoreReader) throws {
    let id = Int64.fromDatabaseValue(row[0])
    var columns = RowColumns(
      row, "layout \(id.map(String.init) ?? "without a number")", path: reader.path)
    self.init(
      id: try columns.next(), dataset: try columns.next(), name: try columns.next(),
      configuration: try columns.next(), result: nil)
    let space: Int64? = try columns.nextIfPresent()
    let next: Int64? = try columns.nextIfPresent()
    let revision: Int64? = try columns.nextIfPresent()
    let root: Data? = try columns.nextIfPresent()
    let resultConfiguration: String? = try columns.nextIfPresent()
    if let space, let next, let revision, let root {
      guard NodeSpace.range.contains(space), NodeSpace.numbers.contains(next) else {
        throw columns.corrupt("the result is out of range")
      }
      result = Result(
        space: NodeSpace(rawValue: space), nextNode: next, revision: Int(revision),
        root: [UInt8](root), configuration: resultConfiguration ?? configuration)
    }
    guard try columns.next() == checksum(reader.hash) else {
      throw columns.corrupt("the row has a wrong checksum")
    }
  }
}

extension StoreReader {
  private static let columns =
    """
    id, dataset, name, configuration, space, next_node, revision, root, \
    result_configuration, checksum
    """

  /// The layouts of a dataset by name.
  package func layouts(of dataset: Int64) throws -> [LayoutRow] {
    let rows = try Row.fetchCursor(
      db, sql: "SELECT \(Self.columns) FROM layouts WHERE dataset = ? ORDER BY name",
      arguments: [dataset])
    var layouts: [LayoutRow] = []
    while let row = try rows.next() { layouts.append(try LayoutRow(row, reader: self)) }
    return layouts
  }

  /// The layout of a dataset with a name; `nil` where there is none.
  package func layout(named name: String, of dataset: Int64) throws -> LayoutRow? {
    let statement = try db.cachedStatement(
      sql: "SELECT \(Self.columns) FROM layouts WHERE dataset = ? AND name = ?")
    return try Row.fetchOne(statement, arguments: [dataset, name])
      .map { try LayoutRow($0, reader: self) }
  }
}

extension StoreWriter {
  /// Stores a layout's row, new or changed.
  package func put(_ row: LayoutRow) throws {
    try execute(
      """
      INSERT INTO layouts
        (id, dataset, name, configuration, space, next_node, revision, root,
         result_configuration, checksum)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET
        configuration = excluded.configuration, space = excluded.space,
        next_node = excluded.next_node, revision = excluded.revision, root = excluded.root,
        result_configuration = excluded.result_configuration, checksum = excluded.checksum
      """,
      [
        row.id, row.dataset, row.name, row.configuration, row.result?.space.rawValue,
        row.result?.nextNode, row.result?.revision, row.result.map { Data($0.root) },
        row.isOutdated ? row.result?.configuration : nil, row.checksum(reader.hash),
      ])
  }

  /// A layout id that no layout has had: items and the log name layouts by it, also
  /// those that are gone. It is the number of a space that is never used.
  package func freshLayoutID() throws -> Int64 {
    let last = try Int64.fetchOne(db, sql: "SELECT coalesce(max(id), 0) FROM layouts") ?? 0
    return max(last + 1, try makeSpace().rawValue)
  }

  /// Deletes a layout's row and its nodes.
  package func delete(_ row: LayoutRow) throws {
    if let result = row.result { try deleteNodes(in: result.space) }
    try execute("DELETE FROM layouts WHERE id = ?", [row.id])
  }
}
