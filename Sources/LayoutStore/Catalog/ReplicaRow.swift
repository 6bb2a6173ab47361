/// A row of `replicas`: the position of a dataset in a log shared with other nodes.
package struct ReplicaRow: Hashable, Sendable {
  package let dataset: Int64
  /// The name of the shared log.
  package var log: [UInt8]
  /// The dataset's number in the shared log.
  package var number: Int64
  /// The sequence of the last applied entry.
  package var sequence: Int
  /// A hash over all entries up to that one.
  package var chain: [UInt8]

  package init(dataset: Int64, log: [UInt8], number: Int64, sequence: Int, chain: [UInt8]) {
    (self.dataset, self.log, self.number, self.sequence) = (dataset, log, number, sequence)
    self.chain = chain
  }
}

extension ReplicaRow: SealedRow {
  static let table = SealedTable(
    "replicas", of: "replica of dataset", key: ["dataset"],
    ["dataset", "log", "number", "sequence", "chain"])

  var values: [ColumnValue] {
    [.number(dataset), .bytes(log), .number(number), .number(Int64(sequence)), .bytes(chain)]
  }

  init(_ columns: inout RowColumns) throws {
    self.init(
      dataset: try columns.nextID(), log: try columns.next(), number: try columns.nextID(),
      sequence: try columns.nextRevision(), chain: try columns.next())
  }
}

/// A row of `pins`: the start of a layout's current result, as recorded in a shared log.
package struct PinRow: Hashable, Sendable {
  package let layout: Int64
  package var dataset: Int64
  /// The dataset's revision at the start.
  package var revision: Int
  /// The configuration of the result.
  package var configuration: String
  /// The incarnation of the result.
  package var incarnation: HistoryNumber
  /// The incarnation of the result of another configuration from which this one continues: sections
  /// that position their items alike are reused. `nil` if the layout is computed from scratch.
  package var earlier: HistoryNumber?

  package init(
    layout: Int64, dataset: Int64, revision: Int, configuration: String,
    incarnation: HistoryNumber, earlier: HistoryNumber?
  ) {
    (self.layout, self.dataset, self.revision) = (layout, dataset, revision)
    (self.configuration, self.incarnation, self.earlier) = (configuration, incarnation, earlier)
  }
}

extension PinRow: SealedRow {
  static let table = SealedTable(
    "pins", of: "pin of layout", key: ["layout"],
    ["layout", "dataset", "revision", "configuration", "incarnation", "earlier"])

  var values: [ColumnValue] {
    [
      .number(layout), .number(dataset), .number(Int64(revision)), .text(configuration),
      .number(incarnation.rawValue), earlier.map { .number($0.rawValue) } ?? .null,
    ]
  }

  init(_ columns: inout RowColumns) throws {
    self.init(
      layout: try columns.nextID(), dataset: try columns.nextID(),
      revision: try columns.nextRevision(), configuration: try columns.next(),
      incarnation: HistoryNumber(rawValue: try columns.next()),
      earlier: try columns.nextIfPresent().map { HistoryNumber(rawValue: $0) })
  }

  mutating func maskIncarnations(_ mask: Int64) {
    incarnation.mask(mask)
    earlier?.mask(mask)
  }
}

extension StoreReader {
  /// Returns the position of a dataset in its shared log; `nil` if it follows none.
  ///
  /// - Throws: ``StoreError`` with `corrupt` if the row is damaged.
  package func replica(of dataset: Int64) throws -> ReplicaRow? {
    try firstRow("WHERE dataset = ?", [.number(dataset)])
  }

  /// Returns whether a dataset is being loaded from its shared log.
  package func isLoading(_ dataset: Int64) throws -> Bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM loading WHERE dataset = ?)"
    return try Statement(sql, db).value([.number(dataset)]) == 1
  }

  /// Returns whether any dataset follows a shared log.
  package func hasReplicas() throws -> Bool {
    try Statement("SELECT EXISTS (SELECT 1 FROM replicas)", db).value() == 1
  }

  /// Returns the start of a layout's current result; `nil` if no shared log has recorded one.
  package func pin(of layout: Int64) throws -> PinRow? {
    try firstRow("WHERE layout = ?", [.number(layout)])
  }
}

extension StoreWriter {
  /// Stores the position of a dataset in its shared log.
  package func put(_ row: ReplicaRow) throws { try store(row) }

  /// Stores the position at which the loading of a dataset from its shared log begins.
  package func beginLoading(_ row: ReplicaRow) throws {
    try put(row)
    try run("INSERT INTO loading (dataset) VALUES (?)", [.number(row.dataset)])
  }

  /// Records that a dataset is loaded.
  package func endLoading(_ dataset: Int64) throws {
    try run("DELETE FROM loading WHERE dataset = ?", [.number(dataset)])
  }

  /// Stores the start of a layout's result.
  package func put(_ row: PinRow) throws { try store(row) }

  /// Deletes the start of a layout's result.
  package func deletePin(of layout: Int64) throws {
    try run("DELETE FROM pins WHERE layout = ?", [.number(layout)])
  }

  /// Deletes the starts of the results of a dataset's layouts.
  package func deletePins(in dataset: Int64) throws {
    try run("DELETE FROM pins WHERE dataset = ?", [.number(dataset)])
  }

  /// Ends the following of a shared log: deletes a dataset's position and pins, and whether it is
  /// being loaded.
  func deleteReplica(of dataset: Int64) throws {
    try deletePins(in: dataset)
    try endLoading(dataset)
    try run("DELETE FROM replicas WHERE dataset = ?", [.number(dataset)])
  }
}

/// A row of `marks`: the position to which a source of a dataset's changes has been consumed.
package struct MarkRow: Sendable {
  package let dataset: Int64
  package let source: String
  package let position: String
  /// The revision of the commit that set the mark.
  package let revision: Int

  package init(dataset: Int64, source: String, position: String, revision: Int) {
    (self.dataset, self.source, self.position) = (dataset, source, position)
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

  package func deleteMarks(of dataset: Int64) throws {
    try run("DELETE FROM marks WHERE dataset = ?", [.number(dataset)])
  }
}
