import SumTree

/// The columns that a change has reached, carried over the items behind it: an item
/// over several columns ties each of them to all.
struct TieSpread: Dimension {
  /// Whether each column is reached.
  private(set) var isReached: [Bool]

  /// - Parameter columns: The columns that the change itself concerns.
  init(_ columns: RangeSet<Int>, of columnCount: Int) {
    isReached = (0..<columnCount).map { columns.contains($0) }
  }

  var columns: RangeSet<Int> {
    var columns = RangeSet<Int>()
    for column in isReached.indices where isReached[column] {
      columns.insert(contentsOf: column..<(column + 1))
    }
    return columns
  }

  mutating func advance(over summary: WaterfallSummary, count: Int) {
    switch summary.map {
    case .shifts, .wideShifts:
      break
    case .fence(let entry, _):
      pass(0..<entry.count)
    case .ties(let ties):
      let before = isReached
      for row in ties.rows where row.terms.contains(where: { before[$0.source] }) {
        isReached[row.column] = true
      }
    }
  }

  /// Goes on over an item.
  mutating func pass(_ covered: Range<Int>) {
    guard covered.count > 1, covered.contains(where: { isReached[$0] }) else { return }
    for column in covered { isReached[column] = true }
  }
}

extension SumTree<WaterfallLeaf> {
  /// The columns that a change moves: its own, and those that items behind it tie to
  /// them.
  ///
  /// - Parameters:
  ///   - columns: The columns of the change itself.
  ///   - item: The first item behind it.
  /// - Complexity: O(log items) nodes; O(1) where no item spans columns.
  func columns(
    tiedTo columns: RangeSet<Int>, of columnCount: Int, from item: Int, reader: TreeReader
  ) throws -> RangeSet<Int> {
    if summary.map.isDiagonal || item >= count { return columns }
    let (leaf, start) = try self.leaf(containing: item, reader: reader)
    var spread = TieSpread(columns, of: columnCount)
    for index in (item - start)..<leaf.count { spread.pass(leaf.columnRange(at: index)) }
    try advance(&spread, overLeavesFrom: start + leaf.count, reader: reader)
    return spread.columns
  }
}
