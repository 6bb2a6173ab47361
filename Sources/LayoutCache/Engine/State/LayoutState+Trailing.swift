import LayoutStore
import SumTree

// Which earlier results of a layout stay readable. Columns of a stable waterfall do not follow
// from the items, so a past one is a stored result moved forward along the log. Of the trailing
// checkpoints one is at least as old as history reaches, unless that keeps more rows than the
// budget. The younger ones are so close to each other that moving one forward to a revision takes
// fewer operations than there are since the revision, or a fraction of 10,000.

extension LayoutRow.Result {
  /// Adds the result itself to its trailing checkpoints, before it is replaced, where they need
  /// another one.
  ///
  /// One that an undo follows is not added: the columns that an undo brings back are older than
  /// both. An exception is the first, as a history that begins there has no older columns.
  ///
  /// - Parameter rows: The rows that the present result needs and the next one does not.
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
  /// - Parameter reach: The operations of the log that history reaches back.
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
    // History reaches as far back as the oldest, so the others are released first.
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
  /// The operations of the log between two revisions; `Int.max` where the log does not reach back
  /// to the first, or holds as many bytes between them as it keeps for history.
  fileprivate func distance(from start: Int, to end: Int, upTo head: LogHead) throws -> Int {
    guard let first = try logExtent(after: start, upTo: head),
      let last = try logExtent(after: end, upTo: head),
      first.bytes - last.bytes < Budgets.keptLogBytes
    else { return .max }
    return first.operations - last.operations
  }
}
