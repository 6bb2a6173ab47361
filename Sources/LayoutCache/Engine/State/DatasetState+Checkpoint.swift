import LayoutStore
import SumTree

extension DatasetState {
  /// Whether the tail is so long that it is time for a checkpoint.
  var isCheckpointDue: Bool {
    tail.batches >= Budgets.tailBatches || tail.operations >= Budgets.tailOperations
      || tail.bytes >= Budgets.tailBytes
  }

  /// Writes what is only in memory, the layouts in use included, and cuts the log.
  ///
  /// Nodes are given their ids at once: where the transaction is rolled back, this
  /// state and those that share nodes with it are of no more use for edits.
  ///
  /// - Complexity: O(nodes made since the last checkpoint).
  mutating func checkpoint(_ writer: StoreWriter, at now: Int64) throws {
    let sink = writer.nodeSink(in: row.space, next: row.nextNode)
    try trees.store(into: sink)
    try writer.delete(edits)
    edits = TreeEdits()
    row.nextNode = sink.next
    row.revision = revision
    row.sectionCount = trees.sections.count
    row.itemCount = trees.items.count
    row.roots = trees.encodedRoots
    try writer.put(row)
    let revision = revision
    for id in layouts.keys { try layouts[id]?.checkpoint(at: revision, writer) }
    tail = .none
    hasOwnCommits = false
    try cutLog(writer, at: now)
  }

  /// Deletes log entries that no checkpoint needs any more and that are old.
  ///
  /// A layout so far behind that it will be laid out from scratch needs none.
  private func cutLog(_ writer: StoreWriter, at now: Int64) throws {
    var needed = row.revision
    for layout in try writer.reader.layouts(of: row.id) {
      guard let result = layout.result, result.revision < needed else { continue }
      let lag = try writer.reader.logExtent(after: result.revision, upTo: head)
      if let lag, lag.operations <= historyLagMax { needed = result.revision }
    }
    try writer.cutLog(
      upTo: head, needed: needed, since: now - Budgets.keptMilliseconds,
      count: Budgets.keptBatches, bytes: Budgets.keptLogBytes)
  }
}
