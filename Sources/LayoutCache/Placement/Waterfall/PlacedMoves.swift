import LayoutGeometry

/// What a placement moves while it runs: kept in plain values, because it may be
/// millions of items, one by one.
struct PlacedMoves {
  /// From the first item moved to the last.
  private(set) var items: Range<Int>?
  /// The columns that have lost or got an item, or in which one has moved.
  private(set) var columns = ColumnSet()
  private(set) var interval: Range<Int64>?

  /// Adds an item.
  ///
  /// - Parameters:
  ///   - item: The item; none before it is added later.
  ///   - columns: The columns that it covered, and those that it covers now.
  ///   - extent: What it covered and covers along the main axis.
  mutating func add(_ item: Int, columns: (Range<Int>, Range<Int>), extent: Range<Int64>) {
    items = (items?.lowerBound ?? item)..<(item + 1)
    self.columns.insert(columns.0)
    self.columns.insert(columns.1)
    interval = interval?.hull(with: extent) ?? extent
  }
}

extension PlacementChange {
  /// Adds what a placement moved.
  mutating func note(_ moves: PlacedMoves) {
    guard let items = moves.items, let interval = moves.interval else { return }
    note(items: items)
    note(interval: interval)
    columns.formUnion(moves.columns)
  }
}
