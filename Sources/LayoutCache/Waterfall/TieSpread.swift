import SumTree

/// The columns that a change has reached, carried over the items behind it: an item
/// over several columns ties each of them to all.
struct TieSpread: Dimension {
  /// The items before the place.
  private(set) var count = 0
  /// Whether each column is reached.
  private(set) var isReached: [Bool]
  /// The first item behind the change.
  private let start: Int

  /// - Parameters:
  ///   - columns: The columns that the change itself concerns.
  ///   - start: The first item behind it; begins a leaf.
  init(_ columns: RangeSet<Int>, of columnCount: Int, from start: Int) {
    isReached = (0..<columnCount).map { columns.contains($0) }
    self.start = start
  }

  var columns: RangeSet<Int> {
    var columns = RangeSet<Int>()
    for column in isReached.indices where isReached[column] {
      columns.insert(contentsOf: column..<(column + 1))
    }
    return columns
  }

  mutating func advance(over summary: WaterfallSummary, count: Int) {
    if self.count >= start { reach(over: summary.map) }
    self.count += count
  }

  /// Goes on over an item of a leaf.
  mutating func pass(_ covered: Range<Int>) {
    guard covered.count > 1, covered.contains(where: { isReached[$0] }) else { return }
    for column in covered { isReached[column] = true }
  }

  private mutating func reach(over map: ColumnMap) {
    switch map {
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
    let end = start + leaf.count
    var spread = TieSpread(columns, of: columnCount, from: end)
    for index in (item - start)..<leaf.count { spread.pass(leaf.columnRange(at: index)) }
    if end == count { return spread.columns }
    spread = TieSpread(spread.columns, of: columnCount, from: end)
    var cursor = Cursor(self, at: spread, reader: reader)
    // To the first leaf behind the change's, and then past everything at once.
    _ = try cursor.seek(toElement: end)
    _ = try cursor.seek { _ in false }
    return cursor.before.columns
  }
}
