import CollectionLayout
import LayoutGeometry
import SumTree

/// The replay of a waterfall's items: they are placed again in order.
struct WaterfallReplay {
  /// The new state.
  private(set) var new: WaterfallPlacement
  /// The state in which the items' current columns were chosen.
  private(set) var old: WaterfallPlacement
  private(set) var moves = PlacedMoves()
  /// The number of items placed.
  private(set) var count = 0
  /// The first item with a new column.
  private(set) var firstNew: Int?
  /// The previous columns of that item and of those after it.
  private var columns: [UInt8] = []
  /// How many of them precede the last new one, inclusively.
  private var changedCount = 0
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
  ///   - item: The item's index in the section.
  ///   - index: The item's index in the leaf, in which its column is set.
  /// - Returns: Whether the item gets a new column.
  /// - Throws: `LimitError` if the content would be too long.
  mutating func place(_ item: Int, at index: Int, of leaf: inout WaterfallLeaf) throws -> Bool {
    let covered = leaf.columnRange(at: index)
    let length = Length(units: leaf.advances[index]) - lineSpacing
    guard length > .zero else { throw Damage(detail: "item \(item) has no length") }
    let oldStart = try old.advance(
      column: covered.lowerBound, columnSpan: covered.count, length: length)
    let column = try new.place(length: length, columnSpan: covered.count)
    let newStart = new.positions[column] - lineSpacing - length
    count += 1
    let isNew = column != covered.lowerBound
    if isNew, firstNew == nil { firstNew = item }
    if firstNew != nil { columns.append(UInt8(covered.lowerBound)) }
    if isNew { changedCount = columns.count }
    if !isNew && newStart == oldStart { return false }
    if isNew { leaf.setColumn(column, at: index) }
    moves.add(
      item, columns: (covered, column..<(column + covered.count)),
      extent: min(oldStart, newStart).units..<(max(oldStart, newStart) + length).units)
    return isNew
  }

  /// Whether an item has a new column.
  var hasNewColumns: Bool { firstNew != nil }

  /// The previous columns from the first item with a new one to the last.
  var formerColumns: [UInt8] { Array(columns.prefix(changedCount)) }
}

extension SumTree<WaterfallLeaf> {
  /// Returns the first columns of the items of a range, for an undo stack: zeros, unread, if there
  /// are more than any stack has.
  func firstColumns(of range: Range<Int>, in session: TreeSession) throws -> [UInt8] {
    if range.count > UndoStack.bytesMax { return [UInt8](repeating: 0, count: range.count) }
    var columns: [UInt8] = []
    columns.reserveCapacity(range.count)
    try forEachLeaf(overlapping: range, in: session) { leaf, start in
      let wanted = range.clamped(to: start..<(start + leaf.count))
      columns += leaf.columns[(wanted.lowerBound - start)..<(wanted.upperBound - start)]
    }
    return columns
  }

  /// Places the items of a range again. Leaves without a column change are kept.
  ///
  /// - Parameters:
  ///   - replay: A replay at the range's start.
  ///   - isReached: Returns whether to stop before the next item.
  /// - Returns: The first item that was not placed.
  mutating func placeAgain(
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

/// The moves recorded during a placement. They are plain values, because millions of items may
/// be recorded one by one.
struct PlacedMoves {
  /// The range from the first moved item to the last.
  private(set) var items: Range<Int>?
  /// The columns that have lost or gained an item, or in which one has moved.
  private(set) var columns = ColumnSet()
  private(set) var interval: Range<Int64>?

  /// Adds an item.
  ///
  /// - Parameters:
  ///   - item: The item; items are added in ascending order.
  ///   - columns: The item's old and new columns.
  ///   - extent: The union of the item's old and new extents along the main axis.
  mutating func add(_ item: Int, columns: (Range<Int>, Range<Int>), extent: Range<Int64>) {
    items = (items?.lowerBound ?? item)..<(item + 1)
    self.columns.insert(columns.0)
    self.columns.insert(columns.1)
    interval = interval?.hull(with: extent) ?? extent
  }
}

extension PlacementChange {
  /// Records the moves of a placement.
  mutating func note(_ moves: PlacedMoves) {
    guard let items = moves.items, let interval = moves.interval else { return }
    note(items: items)
    note(interval: interval)
    columns.formUnion(moves.columns)
  }
}
