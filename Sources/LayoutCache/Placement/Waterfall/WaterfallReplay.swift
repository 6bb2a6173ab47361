import CollectionLayout
import LayoutGeometry
import SumTree

/// Items of a waterfall that are placed again, one after the other.
struct WaterfallReplay {
  /// The state that is.
  private(set) var new: WaterfallPlacement
  /// The state in which the items' present columns were chosen.
  private(set) var old: WaterfallPlacement
  /// What has moved.
  private(set) var moves = PlacedMoves()
  /// The items placed so far.
  private(set) var count = 0
  /// Whether one of them has got another column.
  private(set) var hasNewColumns = false
  private let lineSpacing: Length

  init(
    after new: WaterfallPlacement, instead old: WaterfallPlacement, lineSpacing: Length
  ) {
    self.new = new
    self.old = old
    self.lineSpacing = lineSpacing
  }

  /// Places the next item.
  ///
  /// - Parameters:
  ///   - item: Its number in the section.
  ///   - index: Its place in the leaf, in which it gets its column.
  /// - Returns: Whether it gets another column.
  /// - Throws: `LimitError` where the content would become too long.
  mutating func place(_ item: Int, at index: Int, of leaf: inout WaterfallLeaf) throws -> Bool {
    let covered = leaf.columnRange(at: index)
    let length = Length(units: leaf.advances[index]) - lineSpacing
    guard length > .zero else { throw DamagedLayout(detail: "item \(item) has no length") }
    let oldStart = try old.advance(
      column: covered.lowerBound, columnSpan: covered.count, length: length)
    let column = try new.place(length: length, columnSpan: covered.count)
    let newStart = new.positions[column] - lineSpacing - length
    count += 1
    let isNew = column != covered.lowerBound
    if !isNew && newStart == oldStart { return false }
    if isNew {
      leaf.setColumn(column, at: index)
      hasNewColumns = true
    }
    moves.add(
      item, columns: (covered, column..<(column + covered.count)),
      extent: min(oldStart, newStart).units..<(max(oldStart, newStart) + length).units)
    return isNew
  }
}

extension SumTree<WaterfallLeaf> {
  /// Places the items of a range again. Leaves in which none gets another column stay as
  /// they are.
  ///
  /// - Parameters:
  ///   - replay: Has come to the range's start.
  ///   - isReached: Whether to end before the next item.
  /// - Returns: The first item that is not placed.
  mutating func placeAnew(
    _ range: Range<Int>, by replay: inout WaterfallReplay, in session: TreeSession,
    until isReached: (WaterfallReplay) throws -> Bool = { _ in false }
  ) throws -> Int {
    var item = range.lowerBound
    try updateLeaves(overlapping: range, in: session) { leaf, start, isAtEnd in
      var isChanged = false
      let end = Swift.min(range.upperBound, start + leaf.count)
      while item < end {
        isAtEnd = try isReached(replay)
        if isAtEnd { break }
        if try replay.place(item, at: item - start, of: &leaf) { isChanged = true }
        item += 1
      }
      return isChanged
    }
    return item
  }
}

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
