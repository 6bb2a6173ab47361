/// A row of `templates`: the definition of a layout of many datasets.
package struct TemplateRow: Hashable, Sendable {
  package let name: String
  /// The name of a dataset, or the beginning of names and `*`.
  package let datasets: String
  /// The layout's name.
  package let layout: String
  /// The configuration as JSON.
  package let configuration: String
  /// Rises with the definitions of all templates; 0 before it is stored.
  package var number: Int
  /// When it was set, in milliseconds since 1970.
  package let time: Int64
  /// The name of the caller's token; empty without one.
  package let who: String

  package init(
    _ name: String, datasets: String, layout: String, configuration: String, number: Int = 0,
    time: Int64, who: String
  ) {
    (self.name, self.datasets, self.layout) = (name, datasets, layout)
    (self.configuration, self.number, self.time, self.who) = (configuration, number, time, who)
  }

  /// Returns whether the template is for a dataset. Names are compared as UTF-8 bytes.
  package func matches(_ dataset: String) -> Bool {
    datasets.utf8.last == UInt8(ascii: "*")
      ? dataset.utf8.starts(with: datasets.utf8.dropLast())
      : dataset.utf8.elementsEqual(datasets.utf8)
  }

  /// Returns whether the template goes before another that is for the same dataset: a name goes
  /// before a beginning, and a longer beginning before a shorter one.
  fileprivate func goesBefore(_ other: TemplateRow) -> Bool {
    (datasets.utf8.last != UInt8(ascii: "*") ? 1 : 0, datasets.utf8.count)
      > (other.datasets.utf8.last != UInt8(ascii: "*") ? 1 : 0, other.datasets.utf8.count)
  }
}

extension TemplateRow: SealedRow {
  static let table = SealedTable(
    "templates", of: "template", number: (4, "number"), key: ["name"],
    ["name", "datasets", "layout", "configuration", "number", "time", "who"])

  var values: [ColumnValue] {
    [
      .text(name), .text(datasets), .text(layout), .text(configuration), .number(Int64(number)),
      .number(time), .text(who),
    ]
  }

  init(_ columns: inout RowColumns) throws {
    (name, datasets, layout) = (try columns.next(), try columns.next(), try columns.next())
    (configuration, number) = (try columns.next(), try columns.nextRevision())
    (time, who) = (try columns.next(), try columns.next())
  }
}

extension StoreReader {
  /// Returns the template with a name; `nil` if there is none.
  package func template(named name: String) throws -> TemplateRow? {
    try firstRow("WHERE name = ?", [.text(name)])
  }

  /// Returns a page of the templates, ordered by the UTF-8 bytes of their names.
  package func templates(after name: String?, limit: Int) throws -> [TemplateRow] {
    var rows: [TemplateRow] = []
    try forEachRow(
      "WHERE name > ? ORDER BY name LIMIT ?",
      [.text(name ?? ""), .number(Int64(max(limit, 0)))]
    ) { rows.append($0) }
    return rows
  }

  /// Returns the template of a layout of a dataset; `nil` if none is for the dataset.
  ///
  /// - Complexity: O(templates of the layout).
  package func template(ofLayout layout: String, of dataset: String) throws -> TemplateRow? {
    var found: TemplateRow?
    try forEachRow("WHERE layout = ?", [.text(layout)]) { (row: TemplateRow) in
      if row.matches(dataset), found.map(row.goesBefore) ?? true { found = row }
    }
    return found
  }

  /// Returns the templates of the layouts of a dataset, ordered by the UTF-8 bytes of the layouts'
  /// names.
  ///
  /// - Complexity: O(templates).
  package func templates(of dataset: String) throws -> [TemplateRow] {
    var rows: [TemplateRow] = []
    try forEachRow("ORDER BY layout", []) { (row: TemplateRow) in
      guard row.matches(dataset) else { return }
      if let last = rows.last, last.layout.utf8.elementsEqual(row.layout.utf8) {
        if row.goesBefore(last) { rows[rows.count - 1] = row }
      } else {
        rows.append(row)
      }
    }
    return rows
  }

  /// Returns the layouts that templates have filed, with their datasets, in the order of their ids.
  ///
  /// - Parameters:
  ///   - id: The id after which the page starts.
  ///   - limit: The maximum number of rows.
  package func layoutsOfTemplates(
    after id: Int64, limit: Int
  ) throws -> [(layout: LayoutRow, dataset: DatasetRow)] {
    var rows: [LayoutRow] = []
    try forEachRow(
      "WHERE template IS NOT NULL AND id > ? ORDER BY id LIMIT ?",
      [.number(id), .number(Int64(limit))]
    ) { rows.append($0) }
    return try rows.map { ($0, try dataset(id: $0.dataset)) }
  }
}

extension StoreWriter {
  /// Stores the templates of the file.
  ///
  /// - Parameter number: The number of their last change.
  package func putTemplates(_ rows: [TemplateRow], numbered number: Int) throws {
    let (present, rows) = (Set(try reader.templates(after: nil, limit: .max)), Set(rows))
    for row in present.subtracting(rows) {
      try run("DELETE FROM templates WHERE name = ?", [.text(row.name)])
    }
    for row in rows.subtracting(present) { try store(row) }
    try run("UPDATE counts SET definitions = ? WHERE dataset = 0", [.number(Int64(number))])
  }
}
