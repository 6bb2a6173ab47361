import LayoutStore
import SumTree

// Earlier results of a layout that stay readable. Columns of a stable waterfall do not follow
// from the items, so a past result is a stored result moved forward along the log. One of the
// trailing checkpoints is at least as old as the reach of history, unless that would retain more
// rows than the budget. The younger ones are so close to each other that moving one forward to a
// revision takes fewer operations than there are since the revision, or a fraction of
// `Budgets.followedOperations`.

extension LayoutRow.Result {
  /// Adds the result to its trailing checkpoints before it is replaced, if another checkpoint is
  /// needed.
  ///
  /// A result followed by an undo is not added: the columns that the undo restores are older. The
  /// first result is an exception, because a history that begins there has no older columns.
  ///
  /// - Parameter rows: The rows that only the present result needs, not the next one.
  mutating func extendTrailing(
    by rows: Set<NodeID>, upTo head: LogHead, _ reader: StoreReader
  ) throws {
    guard let newest = trailing.last else { return trailing.append(asTrailing) }
    if try reader.isUndo(revision + 1, of: head.dataset) { return }
    let kept = trailing.supersededCount + rows.count(where: newest.needs)
    if try trailing.count == 1 && kept > Budgets.trailingRows
      || reader.distance(from: newest.revision, to: revision, upTo: head) >= Budgets.trailingGap
    {
      trailing.append(asTrailing)
    }
  }

  /// Releases trailing checkpoints between others that are close to each other, the oldest ones
  /// that history no longer reaches, and those that are too expensive. The last one stays.
  ///
  /// - Parameter reach: The reach of history, in operations of the log.
  mutating func trimTrailing(upTo head: LogHead, reach: Int, _ writer: StoreWriter) throws {
    var index = 1
    while index + 1 < trailing.count {
      let (earlier, later) = (trailing[index - 1].revision, trailing[index + 1].revision)
      let age = try writer.reader.distance(from: later, to: head.revision, upTo: head)
      if try writer.reader.distance(from: earlier, to: later, upTo: head)
        <= age / Budgets.trailingAge
      {
        try writer.release(at: index, of: &trailing)
      } else {
        index += 1
      }
    }
    while trailing.count > 1,
      try writer.reader.distance(from: trailing[1].revision, to: head.revision, upTo: head)
        >= reach
    {
      try writer.release(at: 0, of: &trailing)
    }
    // History reaches back to the oldest checkpoint, so younger ones are released first.
    while trailing.count > 1, trailing.supersededCount > Budgets.trailingRows {
      let isOldestExpensive =
        trailing.reduce(0) { $0 + $1.supersededCount(neededBy: trailing[0]) }
        > Budgets.trailingRows
      try writer.release(at: isOldestExpensive ? 0 : 1, of: &trailing)
    }
  }
}

extension [TrailingCheckpoint] {
  fileprivate var supersededCount: Int { reduce(0) { $0 + $1.supersededCount } }
}

extension StoreReader {
  /// Returns the number of operations in the log between two revisions; `Int.max` if the log does
  /// not reach back to the first, or has more bytes between them than the budget for history.
  fileprivate func distance(from start: Int, to end: Int, upTo head: LogHead) throws -> Int {
    guard let first = try logExtent(after: start, upTo: head),
      let last = try logExtent(after: end, upTo: head),
      first.bytes - last.bytes < Budgets.keptLogBytes
    else { return .max }
    return first.operations - last.operations
  }
}
