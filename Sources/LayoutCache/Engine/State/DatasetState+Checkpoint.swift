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
  /// What the checkpoint before needs and this one does not stays, as long as that trails
  /// behind.
  ///
  /// - Parameter isBeginning: Whether what was before has nothing to do with it.
  /// - Complexity: O(nodes made since the last checkpoint).
  mutating func checkpoint(
    _ writer: StoreWriter, at now: Int64, isBeginning: Bool = false
  ) throws {
    let sink = writer.nodeSink(in: row.space, next: row.nextNode)
    try trees.store(into: sink)
    let left = try sink.rows(leftBy: edits)
    if isBeginning {
      row.trailing = nil
    } else if row.revision < revision {
      row.trailing = try sink.trail(
        row.trailing, orElse: row.asTrailing, leaving: left,
        rowsMax: writer.reader.rowsMax(
          of: row.trailing, orElse: row.asTrailing, upTo: head, operationsMax: historyLagMax))
    }
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
  /// loses its result, and is laid out anew when it is next asked for.
  ///
  /// - Returns: Whether it is in use still.
  @discardableResult
  mutating func checkpoint(layout id: Int64, _ writer: StoreWriter) throws -> Bool {
    do {
      let (head, operationsMax) = (head, historyLagMax)
      try layouts[id]?.checkpoint(at: head, trailedBy: operationsMax, writer)
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
    var needed = row.trailing?.revision ?? row.revision
    for layout in try writer.reader.layouts(of: row.id) {
      guard let result = layout.result else { continue }
      for revision in [result.revision, result.trailing?.revision ?? result.revision]
      where revision < needed {
        let lag = try writer.reader.logExtent(after: revision, upTo: head)
        if let lag, lag.operations <= historyLagMax { needed = revision }
      }
    }
    try writer.cutLog(
      upTo: head, needed: needed, since: now - Budgets.keptMilliseconds,
      count: Budgets.keptBatches, bytes: Budgets.keptLogBytes)
  }
}

extension StoreReader {
  /// How many rows of nodes a trailing checkpoint may keep for itself; `nil` where it is to
  /// give way.
  ///
  /// It stays for as long as what has changed since is worked out from the log: clients that
  /// were away for so long find it. It does too where the commit after the checkpoint that would
  /// take its place is an undo: what that has brought back was before both.
  ///
  /// - Parameters:
  ///   - last: What would take its place.
  ///   - operationsMax: The operations of the log that are followed.
  func rowsMax(
    of trailing: TrailingCheckpoint?, orElse last: TrailingCheckpoint, upTo head: LogHead,
    operationsMax: Int
  ) throws -> Int? {
    guard let trailing,
      let extent = try logExtent(after: trailing.revision, upTo: head)
    else { return nil }
    if try isUndo(last.revision + 1, of: head.dataset) { return .max }
    let isShort = extent.operations < operationsMax && extent.bytes < Budgets.keptLogBytes
    return isShort ? Budgets.trailingRows : nil
  }
}
