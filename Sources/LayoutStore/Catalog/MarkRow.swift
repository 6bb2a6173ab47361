/// A row of `marks`: the position to which a source of a dataset's changes has been consumed.
package struct MarkRow: Sendable {
  package let dataset: Int64
  package let source: String
  package let position: String
  /// The revision of the commit that set the mark.
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
  /// Returns the marks of a dataset, ordered by source.
  ///
  /// - Throws: ``StoreError`` with `corrupt` if a row is damaged.
  package func marks(of dataset: Int64) throws -> [MarkRow] {
    var marks: [MarkRow] = []
    try forEachRow("WHERE dataset = ? ORDER BY source", [.number(dataset)]) { marks.append($0) }
    return marks
  }

  /// Returns the mark of a source; `nil` if it has none.
  ///
  /// - Throws: ``StoreError`` with `corrupt` if the row is damaged.
  package func mark(of dataset: Int64, source: String) throws -> MarkRow? {
    try firstRow("WHERE dataset = ? AND source = ?", [.number(dataset), .text(source)])
  }

  /// Returns the number of a dataset's marks.
  package func markCount(of dataset: Int64) throws -> Int {
    try Statement("SELECT count(*) FROM marks WHERE dataset = ?", db)
      .value([.number(dataset)]) ?? 0
  }

  /// Returns the number of marks that belong to no dataset.
  package func unownedMarkCount() throws -> Int {
    try Statement(
      "SELECT count(*) FROM marks WHERE dataset NOT IN (SELECT id FROM datasets)", db
    ).value() ?? 0
  }
}

extension StoreWriter {
  /// Stores a mark, replacing the source's last one.
  package func put(_ row: MarkRow) throws { try store(row) }

  /// Deletes all marks of a dataset.
  package func deleteMarks(of dataset: Int64) throws {
    try run("DELETE FROM marks WHERE dataset = ?", [.number(dataset)])
  }
}
