import SumTree

// Multiplying the maps of items over several columns is slow, so a node's summary is checked
// against its children by the end positions from 0. That is weaker than equality, but
// sufficient: columns never move backwards, so nothing below a node moves a position further
// than its map does, and no sum of them overflows.

extension WaterfallSummary {
  func isProduct(of children: ContiguousArray<WaterfallSummary>) -> Bool {
    let columnCount = map.columnCount
    var positions = [Int64](repeating: 0, count: columnCount)
    var longest: Int64 = 0
    for child in children {
      guard child.map.columnCount <= columnCount else { return false }
      child.map.apply(to: &positions)
      longest = max(longest, child.longestAdvance)
    }
    return longest == longestAdvance && positions == ends(of: columnCount)
  }

  /// Returns the columns' end positions, starting from 0.
  fileprivate func ends(of columnCount: Int) -> [Int64] {
    var positions = [Int64](repeating: 0, count: columnCount)
    map.apply(to: &positions)
    return positions
  }
}

extension WaterfallLeaf {
  func isSummed(by summary: WaterfallSummary) -> Bool {
    let columnCount = summary.map.columnCount
    var positions = [Int64](repeating: 0, count: columnCount)
    for index in 0..<count {
      guard columnRange(at: index).upperBound <= columnCount else { return false }
      _ = place(index, on: &positions)
    }
    return advances.max() == summary.longestAdvance && positions == summary.ends(of: columnCount)
  }
}
