import LayoutStore
import SumTree

// Which earlier results of a layout stay readable. Columns of a stable waterfall do not follow
// from the items, so a past one is a stored result moved forward along the log. The chain of
// trailing checkpoints always has one that is at least as old as history reaches, unless that
// keeps more rows than the budget, and they are close enough that moving one forward takes a
// fraction of the reach.

extension LayoutRow.Result {
  /// Adds the result itself to its trailing checkpoints, before it is replaced, where they need
  /// another one.
  ///
  /// One that an undo follows is not added: the columns that an undo brings back are older than
  /// both. An exception is the first, as a history that begins there has no older columns.
  ///
  /// - Parameters:
  ///   - rows: The rows that the present result needs and the next one does not.
  ///   - reach: The operations of the log that history reaches back.
  mutating func extendTrailing(
    by rows: Set<NodeID>, upTo head: LogHead, reach: Int, _ reader: StoreReader
  ) throws {
    guard let newest = trailing.last else { return trailing.append(asTrailing) }
    if try reader.isUndo(revision + 1, of: head.dataset) { return }
    let kept = trailing.supersededCount + rows.count(where: newest.needs)
    if try trailing.count == 1 && kept > Budgets.trailingRows
      || reader.isFar(from: newest.revision, to: revision, upTo: head, reach: reach)
    {
      trailing.append(asTrailing)
    }
  }

  /// Releases the oldest trailing checkpoints that history no longer reaches, or that are too
  /// expensive. The last one stays.
  mutating func trimTrailing(upTo head: LogHead, reach: Int, _ writer: StoreWriter) throws {
    while trailing.count > 1,
      try trailing.supersededCount > Budgets.trailingRows
        || writer.reader.lag(of: trailing[1].revision, upTo: head) >= reach
    {
      try writer.release(trailing.removeFirst())
    }
  }
}

extension [TrailingCheckpoint] {
  fileprivate var supersededCount: Int { reduce(0) { $0 + $1.supersededCount } }
}

extension StoreReader {
  /// The operations that the log holds after a revision; `Int.max` where the log does not reach
  /// back to it, or holds more bytes than it keeps for history.
  fileprivate func lag(of revision: Int, upTo head: LogHead) throws -> Int {
    guard let extent = try logExtent(after: revision, upTo: head),
      extent.bytes < Budgets.keptLogBytes
    else { return .max }
    return extent.operations
  }

  /// Whether the log between two revisions is a considerable part of what history reaches.
  fileprivate func isFar(
    from start: Int, to end: Int, upTo head: LogHead, reach: Int
  ) throws -> Bool {
    guard let first = try logExtent(after: start, upTo: head),
      let last = try logExtent(after: end, upTo: head)
    else { return true }
    let parts = Budgets.trailingCheckpoints
    return first.operations - last.operations >= reach / parts
      || first.bytes - last.bytes >= Budgets.keptLogBytes / parts
  }
}
