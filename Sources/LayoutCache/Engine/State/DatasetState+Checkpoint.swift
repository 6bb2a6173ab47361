import LayoutStore
import SumTree

extension DatasetState {
  /// Whether the tail is long enough for a checkpoint.
  var isCheckpointDue: Bool {
    tail.batches >= Budgets.tailBatches || tail.operations >= Budgets.tailOperations
      || tail.bytes >= Budgets.tailBytes || dirtyNodes >= Budgets.tailNodes
  }

  /// The number of nodes that a checkpoint must write.
  private var dirtyNodes: Int {
    layouts.values.reduce(edits.dirtyNodes) { $0 + $1.edits.dirtyNodes }
  }

  /// Writes all changes that are only in memory, including the active layouts, and cuts the log.
  ///
  /// Nodes receive their IDs immediately. If the transaction is rolled back, this state and those
  /// that share nodes with it are unusable for edits.
  ///
  /// - Parameter isBeginning: Whether the history begins here.
  /// - Complexity: O(nodes created since the last checkpoint).
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

  /// Writes the changes of an active layout that are only in memory. A damaged layout loses its
  /// result and is laid out again when it is next requested.
  ///
  /// - Returns: Whether the layout is still active.
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

  /// Deletes old log entries that no checkpoint needs.
  ///
  /// A layout that lags so far that it will be laid out from scratch needs none. The operations
  /// that count for a layout are not known here: if there is data, some may be changes of it.
  private func cutLog(_ writer: StoreWriter, at now: Int64) throws {
    var needed = row.revision
    for layout in try writer.reader.layouts(of: row.id) {
      guard let result = layout.result else { continue }
      // The first checkpoint beyond the reach of history is the last one needed.
      var isFar = false
      for revision in [result.revision] + result.trailing.reversed().map(\.revision)
      where !isFar {
        let lag = try writer.reader.logExtent(after: revision, upTo: head)
        guard let lag,
          revision < result.revision
            || lag.bytes < Budgets.keptLogBytes
              && (lag.operations <= historyLagMax || !trees.data.isEmpty)
        else { break }
        needed = min(needed, revision)
        isFar = lag.operations >= historyLagMax || lag.bytes >= Budgets.keptLogBytes
      }
    }
    try writer.cutLog(
      upTo: head, needed: needed, since: now - Budgets.keptMilliseconds,
      count: Budgets.keptBatches, operations: Budgets.followedOperations,
      bytes: Budgets.keptLogBytes)
  }
}
