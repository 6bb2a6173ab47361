/// A row of `views`: a named view of a dataset.
package struct ViewRow: Hashable, Sendable {
  package let dataset: Int64
  package let name: String
  /// A digest of the listed keys; 0 for a filter and an order.
  package let keys: Int64
  /// The filter, the order and the keys, encoded.
  package let definition: [UInt8]

  package init(_ name: String, of dataset: Int64, keys: Int64, definition: [UInt8]) {
    (self.dataset, self.name, self.keys, self.definition) = (dataset, name, keys, definition)
  }
}

extension ViewRow: SealedRow {
  static let table = SealedTable(
    "views", of: "view of dataset", key: ["dataset", "name"],
    ["dataset", "name", "keys", "definition"])

  var values: [ColumnValue] { [.number(dataset), .text(name), .number(keys), .bytes(definition)] }

  init(_ columns: inout RowColumns) throws {
    (dataset, name, keys, definition) = (
      try columns.nextID(), try columns.next(), try columns.next(), try columns.next()
    )
  }
}

extension StoreReader {
  /// Returns a named view of a dataset; `nil` if there is none.
  package func view(named name: String, of dataset: Int64) throws -> ViewRow? {
    try firstRow("WHERE dataset = ? AND name = ?", [.number(dataset), .text(name)])
  }

  /// Returns the digest of the keys that a named view lists, without reading them; `nil` if there is
  /// no such view.
  package func keys(ofView name: String, of dataset: Int64) throws -> Int64? {
    try Statement("SELECT keys FROM views WHERE dataset = ? AND name = ?", db)
      .value([.number(dataset), .text(name)])
  }

  package func viewCount(of dataset: Int64) throws -> Int {
    try Statement("SELECT count(*) FROM views WHERE dataset = ?", db).value([.number(dataset)]) ?? 0
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
