/// A row of `marks`: how far a source of a dataset's changes has been followed.
package struct MarkRow: Sendable {
  package let dataset: Int64
  package let source: String
  package let position: String
  /// That of the commit which has set it.
  package let revision: Int

  package init(dataset: Int64, source: String, position: String, revision: Int) {
    self.dataset = dataset
    self.source = source
    self.position = position
    self.revision = revision
  }
}

extension MarkRow: SealedRow {
  static let table = SealedTable(
    "marks", of: "mark of dataset", key: ["dataset", "source"],
    ["dataset", "source", "position", "revision"])

  var values: [ColumnValue] {
    [.number(dataset), .text(source), .text(position), .number(Int64(revision))]
  }

  init(_ columns: inout RowColumns) throws {
    self.init(
      dataset: try columns.nextID(), source: try columns.next(), position: try columns.next(),
      revision: try columns.nextRevision())
  }
}

extension StoreReader {
  /// The marks of a dataset, by source.
  ///
  /// - Throws: ``StoreError`` with `corrupt` where a row is damaged.
  package func marks(of dataset: Int64) throws -> [MarkRow] {
    var marks: [MarkRow] = []
    try forEachRow("WHERE dataset = ? ORDER BY source", [.number(dataset)]) { marks.append($0) }
    return marks
  }

  /// The mark of a source; `nil` where it has none.
  ///
  /// - Throws: ``StoreError`` with `corrupt` where the row is damaged.
  package func mark(of dataset: Int64, source: String) throws -> MarkRow? {
    try firstRow("WHERE dataset = ? AND source = ?", [.number(dataset), .text(source)])
  }

  /// The number of a dataset's marks.
  package func markCount(of dataset: Int64) throws -> Int {
    try Statement("SELECT count(*) FROM marks WHERE dataset = ?", db)
      .value([.number(dataset)]) ?? 0
  }

  /// The number of marks that belong to no dataset.
  package func unownedMarkCount() throws -> Int {
    try Statement(
      "SELECT count(*) FROM marks WHERE dataset NOT IN (SELECT id FROM datasets)", db
    ).value() ?? 0
  }
}

extension StoreWriter {
  /// Stores a mark, new or in place of its source's last one.
  package func put(_ row: MarkRow) throws { try store(row) }

  /// Deletes all marks of a dataset.
  package func deleteMarks(of dataset: Int64) throws {
    try run("DELETE FROM marks WHERE dataset = ?", [.number(dataset)])
  }
}
