import CollectionLayout
import LayoutGeometry
import SumTree

/// The place of one column in a waterfall's tree: what a search along it needs.
protocol ColumnPlace: Dimension where LeafSummary == WaterfallSummary {
  /// The items before the place.
  var count: Int { get }
  /// The column's next position, in units from the content's start.
  var position: Int64 { get }
  /// Moves over the first items of a leaf.
  ///
  /// - Returns: Where the last of them starts.
  mutating func pass(_ index: Int, of leaf: WaterfallLeaf) -> Int64
}

/// A column that moves on its own: in a section without spans, one number.
struct SingleColumn: ColumnPlace {
  let column: Int
  var count = 0
  var position: Int64 = 0

  init(column: Int) { self.column = column }

  mutating func advance(over summary: WaterfallSummary, count: Int) {
    position += summary.map.shift(of: column)
    self.count += count
  }

  mutating func pass(_ index: Int, of leaf: WaterfallLeaf) -> Int64 {
    let start = position
    if Int(leaf.columns[index]) == column { position += leaf.advances[index] }
    count += 1
    return start
  }
}

/// All columns' next positions.
struct ColumnPositions: Dimension {
  /// The positions behind the last run that was not a ``ColumnMap/narrowShifts``.
  private var base: [Int64]
  /// How far the columns have moved since: adding eight numbers costs less than
  /// looking which of them there are, and a search passes dozens of nodes.
  private var shifts = ColumnShifts()

  var positions: [Int64] {
    var positions = base
    shifts.apply(to: &positions)
    return positions
  }

  init(_ positions: [Int64]) { base = positions }

  /// The positions at a section's start.
  init(of columnCount: Int) { base = Array(repeating: 0, count: columnCount) }

  subscript(column: Int) -> Int64 {
    column < ColumnShifts.count ? base[column] &+ shifts[column] : base[column]
  }

  mutating func advance(over summary: WaterfallSummary, count: Int) {
    if let narrow = summary.map.narrowShifts {
      shifts &+= narrow
    } else {
      settle()
      summary.map.apply(to: &base)
    }
  }

  /// Moves over an item of a leaf.
  ///
  /// - Returns: Where it starts.
  mutating func pass(_ index: Int, of leaf: WaterfallLeaf) -> Int64 {
    settle()
    return leaf.place(index, on: &base)
  }

  private mutating func settle() {
    if shifts.isZero { return }
    shifts.apply(to: &base)
    shifts = ColumnShifts()
  }
}

/// A column among others that spanning items tie it to: all positions.
struct TiedColumn: ColumnPlace {
  let column: Int
  var count = 0
  private var columns: ColumnPositions
  var position: Int64 { columns[column] }

  init(column: Int, of columnCount: Int) {
    self.column = column
    columns = ColumnPositions(of: columnCount)
  }

  mutating func advance(over summary: WaterfallSummary, count: Int) {
    columns.advance(over: summary, count: count)
    self.count += count
  }

  mutating func pass(_ index: Int, of leaf: WaterfallLeaf) -> Int64 {
    count += 1
    return columns.pass(index, of: leaf)
  }
}

/// An item placed by a waterfall.
struct PlacedItem {
  /// The item's number in its section.
  var index: Int
  var column: Int
  var columnSpan: Int
  /// Where the item starts, in units from the content's start.
  var start: Int64
  /// The item's length and the line spacing.
  var advance: Int64
}

/// Finds the items of one column that intersect a range of the main axis, in order.
///
/// The next position is monotone along the items of one column, so each column is
/// searched on its own. Searching by what a whole leaf covers would visit
/// everything once columns drift apart.
struct ColumnCursor<Place: ColumnPlace> {
  private let column: Int
  private let range: Range<Int64>
  private let lineSpacing: Int64
  private let firstItem: Int
  private var cursor: Cursor<WaterfallLeaf, Place>
  private var place: Place
  private var index = 0
  private var isAtLeaf = false
  /// The next item; `nil` behind the last.
  private(set) var current: PlacedItem?

  /// Moves to the first item that ends behind the range's start and has at least a
  /// number.
  ///
  /// - Complexity: O(log items) nodes.
  init(
    _ tree: SumTree<WaterfallLeaf>, column: Int, at place: Place, range: Range<Int64>,
    lineSpacing: Int64, firstItem: Int, reader: TreeReader
  ) throws {
    self.column = column
    self.range = range
    self.lineSpacing = lineSpacing
    self.firstItem = firstItem
    self.place = place
    cursor = Cursor(tree, at: place, reader: reader)
    try advance()
  }

  /// Moves to the next item.
  mutating func advance() throws {
    current = nil
    // Nothing of the column starts before its next position.
    while place.position < range.upperBound {
      if isAtLeaf {
        let leaf = cursor.leaf
        while index < leaf.count {
          let item = index
          index += 1
          let start = place.pass(item, of: leaf)
          let first = Int(leaf.columns[item])
          guard first <= column, column < first + leaf.columnSpan(at: item) else { continue }
          if start >= range.upperBound { return }
          if place.position - lineSpacing > range.lowerBound, place.count > firstItem {
            current = PlacedItem(
              index: place.count - 1, column: first, columnSpan: leaf.columnSpan(at: item),
              start: start, advance: leaf.advances[item])
            return
          }
        }
      }
      // The next leaf that moves the column far enough, however far ahead.
      let end = max(place.position, range.lowerBound + lineSpacing)
      let first = firstItem
      isAtLeaf = try cursor.seek { $0.position > end && $0.count > first }
      guard isAtLeaf else { return }
      place = cursor.before
      index = 0
    }
  }
}
