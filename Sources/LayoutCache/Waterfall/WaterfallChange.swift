import LayoutGeometry

/// What edits did to a waterfall section.
struct WaterfallChange {
  /// The items whose index or place may have changed, by index after the edits.
  var items = RangeSet<Int>()
  /// The columns in which an item moved, came or went.
  var columns = RangeSet<Int>()
  /// What moved, came or went, before and after, in units from the content's start.
  var interval: Range<Int64>?
  /// The items whose length or place was computed.
  var recomputedItems = 0

  /// Adds what a placement moved.
  mutating func note(_ moves: PlacedMoves) {
    guard let items = moves.items, let interval = moves.interval else { return }
    note(items: items)
    note(interval: interval)
    for column in moves.isReached.indices where moves.isReached[column] {
      note(columns: column..<(column + 1))
    }
  }

  mutating func note(items range: Range<Int>) { items.insert(contentsOf: range) }

  mutating func note(columns range: Range<Int>) { columns.insert(contentsOf: range) }

  mutating func note(interval range: Range<Int64>) {
    interval = interval?.hull(with: range) ?? range
  }
}

/// What a placement moves while it runs: kept in plain values, because it may be
/// millions of items, one by one.
struct PlacedMoves {
  /// From the first item moved to the last.
  private(set) var items: Range<Int>?
  /// Whether a column has lost or got an item, or one in it has moved.
  private(set) var isReached: [Bool]
  private(set) var interval: Range<Int64>?

  init(columnCount: Int) { isReached = Array(repeating: false, count: columnCount) }

  /// Adds an item.
  ///
  /// - Parameters:
  ///   - item: The item; none before it is added later.
  ///   - columns: The columns that it covered, and those that it covers now.
  ///   - extent: What it covered and covers along the main axis.
  mutating func add(_ item: Int, columns: (Range<Int>, Range<Int>), extent: Range<Int64>) {
    items = (items?.lowerBound ?? item)..<(item + 1)
    for column in columns.0 { isReached[column] = true }
    for column in columns.1 { isReached[column] = true }
    interval = interval?.hull(with: extent) ?? extent
  }
}
