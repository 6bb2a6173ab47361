/// A row of `replicas`: how far a dataset has followed a log that is shared with other nodes.
package struct ReplicaRow: Hashable, Sendable {
  package let dataset: Int64
  /// The name of the shared log.
  package var log: [UInt8]
  /// The dataset's number in it.
  package var number: Int64
  /// The last entry that has been carried out.
  package var sequence: Int
  /// A hash over all entries up to it.
  package var chain: [UInt8]

  package init(dataset: Int64, log: [UInt8], number: Int64, sequence: Int, chain: [UInt8]) {
    self.dataset = dataset
    self.log = log
    self.number = number
    self.sequence = sequence
    self.chain = chain
  }
}

extension ReplicaRow: SealedRow {
  static let table = SealedTable(
    "replicas", of: "replica of dataset", key: ["dataset"],
    ["dataset", "log", "number", "sequence", "chain"])

  var values: [ColumnValue] {
    [
      .number(dataset), .bytes(log), .number(number), .number(Int64(sequence)), .bytes(chain),
    ]
  }

  init(_ columns: inout RowColumns) throws {
    self.init(
      dataset: try columns.nextID(), log: try columns.next(), number: try columns.nextID(),
      sequence: try columns.nextRevision(), chain: try columns.next())
  }
}

/// A row of `pins`: where a shared log says that a layout's present result begins.
package struct PinRow: Hashable, Sendable {
  package let layout: Int64
  package let dataset: Int64
  /// The dataset's revision at that place.
  package var revision: Int
  /// The configuration that the result is laid out by.
  package var configuration: String
  /// The incarnation of the result.
  package var incarnation: HistoryNumber
  /// The result of another configuration that it continues from: sections that place their
  /// items alike stay as they are. `nil` where it is laid out from scratch.
  package var earlier: HistoryNumber?

  package init(
    layout: Int64, dataset: Int64, revision: Int, configuration: String,
    incarnation: HistoryNumber, earlier: HistoryNumber?
  ) {
    self.layout = layout
    self.dataset = dataset
    self.revision = revision
    self.configuration = configuration
    self.incarnation = incarnation
    self.earlier = earlier
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
}

extension StoreReader {
  /// How far a dataset has followed a shared log; `nil` where it has nothing to do with one.
  ///
  /// - Throws: ``StoreError`` with `corrupt` where the row is damaged.
  package func replica(of dataset: Int64) throws -> ReplicaRow? {
    try firstRow("WHERE dataset = ?", [.number(dataset)])
  }

  /// Whether any dataset follows a shared log.
  package func hasReplicas() throws -> Bool {
    try Statement("SELECT EXISTS (SELECT 1 FROM replicas)", db).value() == 1
  }

  /// Where a layout's present result begins; `nil` where no shared log has said so.
  package func pin(of layout: Int64) throws -> PinRow? {
    try firstRow("WHERE layout = ?", [.number(layout)])
  }
}

extension StoreWriter {
  /// Stores how far a dataset has followed a shared log.
  package func put(_ row: ReplicaRow) throws { try store(row) }

  /// Stores where a layout's result begins.
  package func put(_ row: PinRow) throws { try store(row) }

  /// A layout's result begins nowhere any more.
  package func deletePin(of layout: Int64) throws {
    try run("DELETE FROM pins WHERE layout = ?", [.number(layout)])
  }

  /// The results of a dataset's layouts begin nowhere any more.
  package func deletePins(in dataset: Int64) throws {
    try run("DELETE FROM pins WHERE dataset = ?", [.number(dataset)])
  }

  /// A dataset follows no shared log any more.
  func deleteReplica(of dataset: Int64) throws {
    try deletePins(in: dataset)
    try run("DELETE FROM replicas WHERE dataset = ?", [.number(dataset)])
  }
}
