import LayoutStore
import SumTree

extension DatasetState {
  /// Whether the tail is so long that it is time for a checkpoint.
  var isCheckpointDue: Bool {
    tail.batches >= Budgets.tailBatches || tail.operations >= Budgets.tailOperations
      || tail.bytes >= Budgets.tailBytes || dirtyNodes >= Budgets.tailNodes
  }

  /// The nodes that a checkpoint has to write.
  private var dirtyNodes: Int {
    layouts.values.reduce(edits.dirtyNodes) { $0 + $1.edits.dirtyNodes }
  }

  /// Writes what is only in memory, the layouts in use included, and cuts the log.
  ///
  /// Nodes are given their ids at once: where the transaction is rolled back, this
  /// state and those that share nodes with it are of no more use for edits.
  ///
  /// - Parameter isBeginning: Whether what was before has nothing to do with it.
  /// - Complexity: O(nodes made since the last checkpoint).
  mutating func checkpoint(
    _ writer: StoreWriter, at now: Int64, isBeginning: Bool = false
  ) throws {
    let sink = writer.nodeSink(in: row.space, next: row.nextNode)
    try trees.store(into: sink)
    let left = try sink.rows(leftBy: edits)
    try sink.delete(rows: left)
    if isBeginning { row.historyBegin = revision }
    edits = TreeEdits()
    row.nextNode = sink.next
    row.revision = revision
    row.sectionCount = trees.sections.count
    row.itemCount = trees.items.count
    row.roots = trees.encodedRoots
    try writer.put(row)
    for id in layouts.keys.sorted() { try checkpoint(layout: id, writer) }
    tail = .none
    hasOwnCommits = false
    try cutLog(writer, at: now)
  }

  /// Writes what is only in memory of a layout in use. One that turns out to be damaged
  /// loses its result, and is laid out again when it is next asked for.
  ///
  /// - Returns: Whether it is in use still.
  @discardableResult
  mutating func checkpoint(layout id: Int64, _ writer: StoreWriter) throws -> Bool {
    do {
      let (head, operationsMax) = (head, historyLagMax)
      try layouts[id]?.checkpoint(at: head, reach: operationsMax, writer)
      return true
    } catch {
      guard Damage(error) != nil, var row = layouts[id]?.row else { throw error }
      layouts[id] = nil
      if let result = row.result { try writer.giveBack(.nodes(result.space)) }
      row.result = nil
      try writer.put(row)
      return false
    }
  }

  /// Deletes log entries that no checkpoint needs any more and that are old.
  ///
  /// A layout so far behind that it will be laid out from scratch needs none.
  private func cutLog(_ writer: StoreWriter, at now: Int64) throws {
    var needed = row.revision
    for layout in try writer.reader.layouts(of: row.id) {
      guard let result = layout.result else { continue }
      // The first checkpoint that is as far back as history reaches is the last one needed.
      var isFar = false
      for revision in [result.revision] + result.trailing.reversed().map(\.revision)
      where !isFar {
        let lag = try writer.reader.logExtent(after: revision, upTo: head)
        guard let lag, revision < result.revision || lag.operations <= historyLagMax
        else { break }
        needed = min(needed, revision)
        isFar = lag.operations >= historyLagMax
      }
    }
    try writer.cutLog(
      upTo: head, needed: needed, since: now - Budgets.keptMilliseconds,
      count: Budgets.keptBatches, operations: Budgets.followedOperations,
      bytes: Budgets.keptLogBytes)
  }
}
