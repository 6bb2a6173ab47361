import SumTree

extension SumTree<ItemLeaf> {
  /// Calls `body` with the items of a range, run by run.
  ///
  /// - Complexity: O(log n) nodes, plus the leaves in the range.
  func forEachRun(
    of range: Range<Int>, in session: TreeSession, _ body: (ItemLeaf) throws -> Void
  ) throws {
    try forEachLeaf(overlapping: range, in: session) { leaf, start in
      let wanted = range.clamped(to: start..<(start + leaf.count))
      try body(leaf.slice((wanted.lowerBound - start)..<(wanted.upperBound - start)))
    }
  }
}
