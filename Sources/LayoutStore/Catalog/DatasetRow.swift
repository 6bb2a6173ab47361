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
  /// The incarnation, new when the dataset is created and when a copy of its file is opened.
  package var incarnation: HistoryNumber

  package init(
    id: Int64, name: String, space: NodeSpace, nextNode: Int64, revision: Int,
    sectionCount: Int, itemCount: Int, roots: [UInt8], incarnation: HistoryNumber
  ) {
    (self.id, self.name, self.space, self.nextNode) = (id, name, space, nextNode)
    (self.revision, self.sectionCount, self.itemCount) = (revision, sectionCount, itemCount)
    (self.roots, self.incarnation) = (roots, incarnation)
  }
}

extension DatasetRow: SealedRow {
  static let table = SealedTable(
    "datasets", of: "dataset",
    [
      "id", "name", "space", "next_node", "revision", "section_count", "item_count", "roots",
      "incarnation",
    ])

  var values: [ColumnValue] {
    [
      .number(id), .text(name), .number(space.rawValue), .number(nextNode),
      .number(Int64(revision)), .number(Int64(sectionCount)), .number(Int64(itemCount)),
      .bytes(roots), .number(incarnation.rawValue),
    ]
  }

  init(_ columns: inout RowColumns) throws {
    self.init(
      id: try columns.nextID(), name: try columns.next(),
      space: NodeSpace(rawValue: try columns.nextNumber(in: NodeSpace.range)),
      nextNode: try columns.nextNumber(in: NodeSpace.numbers),
      revision: try columns.nextRevision(), sectionCount: try columns.nextCount(),
      itemCount: try columns.nextCount(), roots: try columns.next(),
      incarnation: HistoryNumber(rawValue: try columns.next()))
  }

  mutating func maskIncarnations(_ mask: Int64) { incarnation.mask(mask) }
}

extension StoreReader {
  /// Returns the ids of the datasets, ordered by name.
  package func datasetIDs() throws -> [Int64] {
    try Statement("SELECT id FROM datasets ORDER BY name", db).values()
  }

  /// Returns a page of the datasets, ordered by the UTF-8 bytes of their names.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the names; empty for all.
  ///   - name: The name after which the page starts; it need not exist.
  ///   - limit: The maximum number of rows.
  /// - Complexity: O(log datasets + rows).
  package func datasets(
    prefix: String, after name: String?, limit: Int
  ) throws -> [DatasetRow] {
    var rows: [DatasetRow] = []
    let page = NamePage(prefix: prefix, after: name, limit: limit)
    try forEachRow("WHERE \(page.condition)", page.values) { rows.append($0) }
    return Array(rows.prefix { page.contains($0.name) })
  }

  /// Returns the names of a page of the datasets; see ``datasets(prefix:after:limit:)``.
  package func datasetNames(prefix: String, after name: String?, limit: Int) throws -> [String] {
    let page = NamePage(prefix: prefix, after: name, limit: limit)
    let names: [String] = try Statement("SELECT name FROM datasets WHERE \(page.condition)", db)
      .values(page.values)
    return Array(names.prefix(while: page.contains))
  }

  /// Returns the number of datasets.
  ///
  /// - Complexity: O(1).
  package func datasetCount() throws -> Int { try count(of: 0) }

  /// Returns the number of layouts of a dataset.
  ///
  /// - Complexity: O(log datasets).
  package func layoutCount(of dataset: Int64) throws -> Int { try count(of: dataset) }

  private func count(of id: Int64) throws -> Int {
    try Statement("SELECT count FROM counts WHERE dataset = ?", db).value([.number(id)]) ?? 0
  }

  /// Returns the dataset with an id.
  ///
  /// - Throws: ``StoreError`` with `corrupt` if the row is damaged or missing.
  package func dataset(id: Int64) throws -> DatasetRow {
    guard let row: DatasetRow = try firstRow("WHERE id = ?", [.number(id)]) else {
      throw corrupt("dataset \(id) is missing")
    }
    return row
  }

  /// Returns the dataset with a name; `nil` if there is none.
  package func dataset(named name: String) throws -> DatasetRow? {
    try firstRow("WHERE name = ?", [.text(name)])
  }
}

extension StoreWriter {
  /// Stores a dataset's row, new or changed.
  package func put(_ row: DatasetRow) throws {
    try count(row.id, in: "datasets", of: 0)
    try store(row)
  }

  /// Counts a row that is to be stored, if it is new.
  func count(_ id: Int64, in table: String, of owner: Int64) throws {
    try run(
      """
      INSERT INTO counts (dataset, count) SELECT ?, 1 WHERE NOT EXISTS (SELECT 1 FROM \(table) WHERE id = ?)
      ON CONFLICT (dataset) DO UPDATE SET count = count + 1
      """, [.number(owner), .number(id)])
  }

  /// Deletes a row that was counted.
  func delete(_ id: Int64, in table: String, of owner: Int64) throws {
    try run("DELETE FROM \(table) WHERE id = ?", [.number(id)])
    try run("UPDATE counts SET count = count - changes() WHERE dataset = ?", [.number(owner)])
  }

  /// Returns an id that no dataset has had, since storage of deleted datasets is identified by
  /// it. A space with the same number is allocated and never used.
  package func freshDatasetID() throws -> Int64 {
    let last: Int64 = try Statement("SELECT max(id) FROM datasets", db).value() ?? 0
    return max(try nextID(after: last), try makeSpace().rawValue)
  }

  /// Deletes a dataset's row, its layouts' rows and its marks. Their nodes, the log and the
  /// requests become garbage.
  package func delete(_ row: DatasetRow) throws {
    for layout in try reader.layouts(of: row.id) { try delete(layout) }
    try giveBack(.nodes(row.space))
    try giveBack(.log(dataset: row.id))
    try giveBack(.requests(dataset: row.id))
    try deleteMarks(of: row.id)
    try deleteReplica(of: row.id)
    try delete(row.id, in: "datasets", of: 0)
    try run("DELETE FROM counts WHERE dataset = ?", [.number(row.id)])
  }
}

/// The condition that selects a page of a table ordered by name.
struct NamePage {
  private let prefix: String
  /// The condition for the rows of the page. It may select a few beyond the prefix.
  let condition: String
  /// The values of the condition's parameters.
  let values: [ColumnValue]

  /// - Parameters:
  ///   - prefix: The prefix of the names.
  ///   - name: The name after which the page starts.
  ///   - limit: The maximum number of rows.
  init(prefix: String, after name: String?, limit: Int) {
    self.prefix = prefix
    // Only one lower bound, so that SQLite starts there: of two bounds it may use either.
    let isInside = name.map { !$0.utf8.lexicographicallyPrecedes(prefix.utf8) } ?? false
    condition = "name \(isInside ? ">" : ">=") ? ORDER BY name LIMIT ?"
    values = [.text(isInside ? name ?? "" : prefix), .number(Int64(max(limit, 0)))]
  }

  /// Returns whether a name belongs on the page.
  func contains(_ name: String) -> Bool { name.utf8.starts(with: prefix.utf8) }
}

/// The random identifier of a history, of a dataset or of a layout's result. Together with a
/// revision it identifies an answer.
package struct HistoryNumber: Hashable, Sendable, RawRepresentable {
  package var rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// Changes bits.
  mutating func mask(_ mask: Int64) { rawValue ^= mask }
}

extension HistoryNumber: CustomStringConvertible {
  /// The hexadecimal digits, as in answers.
  package var description: String { String(UInt64(bitPattern: rawValue), radix: 16) }
}
