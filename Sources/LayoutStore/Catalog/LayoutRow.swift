import LayoutGeometry

/// A row of `layouts`.
package struct LayoutRow: Sendable {
  /// A layout's result at one revision of its dataset.
  package struct Result: Sendable {
    package var space: NodeSpace
    /// The next free node number of the space.
    package var nextNode: Int64
    /// The dataset's revision that the result is for.
    package var revision: Int
    /// The root of the tree of positioned sections, as the engine encodes it.
    package var root: [UInt8]
    /// The configuration that the result was computed with, as JSON.
    package var configuration: String
    /// The incarnation, new when any section of the result is laid out from scratch.
    package var incarnation: HistoryNumber
    /// The version of the layout rules that the result was computed with.
    package var rules: Int
    /// The revision at which the history of the incarnation begins.
    package var historyBegin: Int
    /// The undo stack of a layout whose columns do not follow from the items, as the engine encodes
    /// it; empty for others.
    package var undo: [UInt8]

    package init(
      space: NodeSpace, nextNode: Int64, revision: Int, root: [UInt8], configuration: String,
      incarnation: HistoryNumber, rules: Int, historyBegin: Int? = nil,
      undo: [UInt8] = []
    ) {
      (self.configuration, self.incarnation, self.rules) = (configuration, incarnation, rules)
      (self.space, self.nextNode, self.revision, self.root) = (space, nextNode, revision, root)
      self.historyBegin = historyBegin ?? revision
      self.undo = undo
    }
  }

  package let id: Int64
  package let dataset: Int64
  package var name: String
  /// The configuration as JSON.
  package var configuration: String
  /// The dataset's revision at which the size of the container last changed so that lengths
  /// measured before do not count; 0 for never.
  package var lengthsSince: Int
  /// The number of the template's definition that the configuration comes from; `nil` for a layout
  /// of the dataset itself.
  package var template: Int?
  /// `nil` until the layout is first prepared.
  package var result: Result?

  /// Whether the result was computed with another configuration than the current one.
  package var isOutdated: Bool {
    result.map { !$0.configuration.isExactly(configuration) } ?? false
  }

  package init(
    id: Int64, dataset: Int64, name: String, configuration: String, lengthsSince: Int = 0,
    result: Result?
  ) {
    (self.id, self.dataset, self.name, self.configuration) = (id, dataset, name, configuration)
    (self.lengthsSince, self.result) = (lengthsSince, result)
  }
}

extension LayoutRow: SealedRow {
  static let table = SealedTable(
    "layouts", of: "layout",
    [
      "id", "dataset", "name", "configuration", "lengths_since", "space", "next_node", "revision",
      "root", "result_configuration", "incarnation", "rules", "history_begin", "undo",
      "template",
    ])

  var values: [ColumnValue] {
    let stated: [ColumnValue] = [
      .number(id), .number(dataset), .text(name), .text(configuration),
      .number(Int64(lengthsSince)),
    ]
    let template: [ColumnValue] = [template.map { .number(Int64($0)) } ?? .null]
    guard let result else { return stated + Array(repeating: .null, count: 9) + template }
    return stated + [
      .number(result.space.rawValue), .number(result.nextNode), .number(Int64(result.revision)),
      .bytes(result.root), isOutdated ? .text(result.configuration) : .null,
      .number(result.incarnation.rawValue), .number(Int64(result.rules)),
      .number(Int64(result.historyBegin)),
      result.undo.isEmpty ? .null : .bytes(result.undo),
    ] + template
  }

  init(_ columns: inout RowColumns) throws {
    self.init(
      id: try columns.nextID(), dataset: try columns.nextID(), name: try columns.next(),
      configuration: try columns.next(), lengthsSince: try columns.nextRevision(), result: nil)
    let space: Int64? = try columns.nextIfPresent()
    let next: Int64? = try columns.nextIfPresent()
    let revision: Int64? = try columns.nextIfPresent()
    let root: [UInt8]? = try columns.nextIfPresent()
    let resultConfiguration: String? = try columns.nextIfPresent()
    let incarnation: Int64? = try columns.nextIfPresent()
    let rules: Int64? = try columns.nextIfPresent()
    let historyBegin: Int64? = try columns.nextIfPresent()
    let undo: [UInt8]? = try columns.nextIfPresent()
    template = try columns.nextIfPresent(Int64.self).map { Int($0) }
    if let space, let next, let revision, let root {
      guard NodeSpace.range.contains(space), NodeSpace.numbers.contains(next),
        (0...RowColumns.numberMax).contains(revision),
        (0...RowColumns.numberMax).contains(historyBegin ?? 0)
      else {
        throw columns.corrupt("the result is out of range")
      }
      result = Result(
        space: NodeSpace(rawValue: space), nextNode: next, revision: Int(revision),
        root: root, configuration: resultConfiguration ?? configuration,
        incarnation: HistoryNumber(rawValue: incarnation ?? 0), rules: Int(rules ?? 0),
        historyBegin: historyBegin.map { Int($0) }, undo: undo ?? [])
    }
  }

  mutating func maskIncarnations(_ mask: Int64) { result?.incarnation.mask(mask) }
}

extension StoreReader {
  /// Returns the layouts of a dataset, ordered by name.
  package func layouts(of dataset: Int64) throws -> [LayoutRow] {
    var layouts: [LayoutRow] = []
    try forEachRow("WHERE dataset = ? ORDER BY name", [.number(dataset)]) { layouts.append($0) }
    return layouts
  }

  /// Returns the layouts whose measured lengths of a revision, or later ones, do not count.
  package func layouts(
    of dataset: Int64, remeasuredSince revision: Int
  ) throws -> [LayoutRow] {
    var layouts: [LayoutRow] = []
    try forEachRow(
      "WHERE dataset = ? AND lengths_since >= ?", [.number(dataset), .number(Int64(revision))]
    ) { layouts.append($0) }
    return layouts
  }

  /// Returns a page of the names of a dataset's own layouts and of all variants, in the order of
  /// their UTF-8 bytes.
  ///
  /// - Parameters:
  ///   - name: The name after which the page starts; it need not exist.
  ///   - limit: The maximum number of names.
  /// - Complexity: O(log layouts + names).
  package func ownLayoutNames(
    of dataset: Int64, after name: String?, limit: Int
  ) throws -> [String] {
    try Statement(
      """
      SELECT name FROM layouts WHERE dataset = ? AND name > ? AND template IS NULL
      ORDER BY name LIMIT ?
      """, db
    ).values([.number(dataset), .text(name ?? ""), .number(Int64(limit))])
  }

  /// Returns the layout of a dataset with a name; `nil` if there is none.
  package func layout(named name: String, of dataset: Int64) throws -> LayoutRow? {
    try firstRow("WHERE dataset = ? AND name = ?", [.number(dataset), .text(name)])
  }

  /// Returns the layout with an id, of any dataset; `nil` if there is none.
  package func layout(id: Int64) throws -> LayoutRow? {
    try firstRow("WHERE id = ?", [.number(id)])
  }

  /// Returns whether a layout with an id exists.
  package func hasLayout(id: Int64) throws -> Bool {
    let statement = try Statement("SELECT 1 FROM layouts WHERE id = ?", db)
    statement.bind([.number(id)])
    return try statement.next() != nil
  }
}

extension StoreWriter {
  /// Stores a layout's row, new or changed.
  package func put(_ row: LayoutRow) throws {
    try count(row.id, in: "layouts", of: row.dataset)
    try store(row)
  }

  /// Returns an id that no layout has had, since items and the log refer to layouts by it, even
  /// to deleted ones. A space with the same number is allocated and never used.
  package func freshLayoutID() throws -> Int64 {
    let last: Int64 = try Statement("SELECT max(id) FROM layouts", db).value() ?? 0
    return max(try nextID(after: last), try makeSpace().rawValue)
  }

  /// Returns the id after the greatest one of a table.
  func nextID(after last: Int64) throws -> Int64 {
    guard last < RowColumns.numberMax else { throw reader.corrupt("id \(last) is out of range") }
    return max(last, 0) + 1
  }

  /// Deletes a layout's row. Its nodes become garbage.
  package func delete(_ row: LayoutRow) throws {
    if let result = row.result { try giveBack(.nodes(result.space)) }
    try deletePin(of: row.id)
    try delete(row.id, in: "layouts", of: row.dataset)
  }
}

/// A row of `variants`: the times of a variant of a responsive layout.
package struct VariantRow: Sendable {
  package let layout: Int64
  /// The times of creation and of the last recorded use, in milliseconds since 1970.
  package let created: Int64
  package let used: Int64

  package init(layout: Int64, created: Int64, used: Int64) {
    (self.layout, self.created, self.used) = (layout, created, used)
  }
}

extension StoreReader {
  /// Returns the times of a layout; `nil` if none are recorded.
  package func variant(of layout: Int64) throws -> VariantRow? {
    let statement = try Statement("SELECT created, used FROM variants WHERE layout = ?", db)
    statement.bind([.number(layout)])
    return try statement.next().map { row in
      VariantRow(layout: layout, created: row.int64(at: 0) ?? 0, used: row.int64(at: 1) ?? 0)
    }
  }

  /// Returns the layouts of a dataset whose names are a name, `@` and more, ordered by name.
  ///
  /// - Complexity: O(log layouts + rows).
  package func layouts(of dataset: Int64, variantsOf name: String) throws -> [LayoutRow] {
    var layouts: [LayoutRow] = []
    // "A" is the character after "@".
    try forEachRow(
      "WHERE dataset = ? AND name > ? AND name < ? ORDER BY name",
      [.number(dataset), .text(name + "@"), .text(name + "A")]
    ) { layouts.append($0) }
    return layouts
  }
}

extension StoreWriter {
  /// Records the times of a variant.
  package func put(_ row: VariantRow) throws {
    try run(
      """
      INSERT INTO variants (layout, created, used) SELECT id, ?, ? FROM layouts WHERE id = ?
      ON CONFLICT (layout) DO UPDATE SET used = max(used, excluded.used)
      """, [.number(row.created), .number(row.used), .number(row.layout)])
  }
}

/// A row of `definitions`: a configuration that a layout has, or had before.
package struct DefinitionRow: Hashable, Sendable {
  package let layout: Int64
  /// Rises with the definitions of all layouts of the dataset; 0 before it is stored.
  fileprivate var number = 0
  /// The configuration as JSON.
  package let configuration: String
  /// When it was set, in milliseconds since 1970.
  package let time: Int64
  /// The name of the caller's token; empty without one.
  package let who: String

  package init(layout: Int64, configuration: String, time: Int64, who: String) {
    (self.layout, self.configuration, self.time, self.who) = (layout, configuration, time, who)
  }
}

extension DefinitionRow: SealedRow {
  static let table = SealedTable(
    "definitions", of: "definition of layout", key: ["layout", "number"],
    ["layout", "number", "configuration", "time", "who"])

  var values: [ColumnValue] {
    [.number(layout), .number(Int64(number)), .text(configuration), .number(time), .text(who)]
  }

  init(_ columns: inout RowColumns) throws {
    (layout, number) = (try columns.nextID(), try columns.nextRevision())
    (configuration, time, who) = (try columns.next(), try columns.next(), try columns.next())
  }
}

extension StoreReader {
  /// Returns the definitions of a layout, the present one first; empty for a variant.
  package func definitions(of layout: Int64) throws -> [DefinitionRow] {
    var rows: [DefinitionRow] = []
    try forEachRow("WHERE layout = ? ORDER BY number DESC", [.number(layout)]) { rows.append($0) }
    return rows
  }

  /// Returns the number of the last definition of any layout of a dataset.
  package func lastDefinition(in dataset: Int64) throws -> Int {
    try Statement("SELECT definitions FROM counts WHERE dataset = ?", db)
      .value([.number(dataset)]) ?? 0
  }

  /// Returns the names of the layouts that were defined after a definition, in order. O(layouts).
  package func layoutNames(of dataset: Int64, definedAfter number: Int) throws -> [String] {
    try Statement(
      """
      SELECT name FROM layouts WHERE dataset = ? AND EXISTS
        (SELECT 1 FROM definitions WHERE layout = layouts.id AND number > ?) ORDER BY name
      """, db
    ).values([.number(dataset), .number(Int64(number))])
  }
}

extension StoreWriter {
  /// Stores the present definition of a layout, whose row exists, and drops the oldest ones.
  package func append(_ row: DefinitionRow, of dataset: Int64, keeping countMax: Int) throws {
    try run("UPDATE counts SET definitions = definitions + 1 WHERE dataset = ?", [.number(dataset)])
    var row = row
    row.number = try reader.lastDefinition(in: dataset)
    try store(row)
    try run(
      """
      DELETE FROM definitions WHERE layout = ?1 AND number <=
        (SELECT number FROM definitions WHERE layout = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
      """, [.number(row.layout), .number(Int64(countMax))])
  }
}
