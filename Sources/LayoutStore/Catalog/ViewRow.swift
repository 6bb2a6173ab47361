/// A row of `views`: a named view of a dataset.
package struct ViewRow: Hashable, Sendable {
  package let dataset: Int64
  package let name: String
  /// The filter and the order, encoded.
  package let definition: [UInt8]

  package init(_ name: String, of dataset: Int64, definition: [UInt8]) {
    (self.dataset, self.name, self.definition) = (dataset, name, definition)
  }
}

extension ViewRow: SealedRow {
  static let table = SealedTable(
    "views", of: "view of dataset", key: ["dataset", "name"], ["dataset", "name", "definition"])

  var values: [ColumnValue] { [.number(dataset), .text(name), .bytes(definition)] }

  init(_ columns: inout RowColumns) throws {
    (dataset, name, definition) = (try columns.nextID(), try columns.next(), try columns.next())
  }
}

extension StoreReader {
  /// Returns a named view of a dataset; `nil` if there is none.
  package func view(named name: String, of dataset: Int64) throws -> ViewRow? {
    try firstRow("WHERE dataset = ? AND name = ?", [.number(dataset), .text(name)])
  }

  /// Returns the named views of a dataset, ordered by the UTF-8 bytes of their names.
  package func views(of dataset: Int64) throws -> [ViewRow] {
    var rows: [ViewRow] = []
    try forEachRow("WHERE dataset = ? ORDER BY name", [.number(dataset)]) { rows.append($0) }
    return rows
  }
}

extension StoreWriter {
  /// Stores a named view, new or changed.
  package func put(_ row: ViewRow) throws { try store(row) }

  package func deleteView(named name: String, of dataset: Int64) throws {
    try run("DELETE FROM views WHERE dataset = ? AND name = ?", [.number(dataset), .text(name)])
  }
}
