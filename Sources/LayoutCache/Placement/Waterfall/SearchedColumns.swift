import SumTree

/// What a search looks for in a waterfall: items of some columns that share a point
/// with a range of the main axis.
struct ColumnWindow {
  let columns: Range<Int>
  /// Items that start before this position are wanted, in units.
  let start: Int64
  /// Items are wanted that move their column behind this position.
  let end: Int64

  init(columns: Range<Int>, range: Range<Int64>, lineSpacing: Int64) {
    self.columns = columns
    start = range.upperBound
    // Every item moves its column behind 0, and a column without items stays there.
    end = max(0, range.lowerBound + lineSpacing)
  }
}

/// The columns' next positions during a search, with what is looked for.
protocol SearchedColumns: Dimension where LeafSummary == WaterfallSummary {
  /// Whether no wanted item follows: each column has passed the window.
  var isPast: Bool { get }

  /// Whether a run of items moves one of the columns across the window.
  func meet(_ map: ColumnMap) -> Bool

  /// Moves over an item of a leaf.
  ///
  /// - Returns: Where it starts; `nil` for an item that is not wanted.
  mutating func pass(_ index: Int, of leaf: WaterfallLeaf) -> Int64?
}

/// At most eight columns that move on their own.
struct NarrowColumns: SearchedColumns {
  /// Columns that are not searched stand far behind the window from the first.
  private var positions: ColumnShifts
  private let start: Int64
  private let end: Int64

  /// Behind every position there is, and far from where numbers overflow.
  private static let nowhere: Int64 = 1 << 60

  init(_ window: ColumnWindow) {
    start = window.start
    end = window.end
    positions = ColumnShifts()
    for column in 0..<ColumnShifts.count where !window.columns.contains(column) {
      positions[column] = Self.nowhere
    }
  }

  var isPast: Bool { !positions.isAnyBelow(start) }

  func meet(_ map: ColumnMap) -> Bool {
    guard let shifts = map.narrowShifts else { return true }
    return positions.isAnyBelow(start, movedBy: shifts, beyond: end)
  }

  mutating func advance(over summary: WaterfallSummary, count: Int) {
    if let shifts = summary.map.narrowShifts { positions &+= shifts }
  }

  mutating func pass(_ index: Int, of leaf: WaterfallLeaf) -> Int64? {
    let column = Int(leaf.columns[index])
    let before = positions[column]
    let behind = before + leaf.advances[index]
    positions[column] = behind
    return before < start && behind > end ? before : nil
  }
}

/// Any number of columns, which spanning items may tie to each other.
struct AllColumns: SearchedColumns {
  private var positions: [Int64]
  private let window: ColumnWindow

  init(_ window: ColumnWindow, of columnCount: Int) {
    positions = Array(repeating: 0, count: columnCount)
    self.window = window
  }

  var isPast: Bool { window.columns.allSatisfy { positions[$0] >= window.start } }

  func meet(_ map: ColumnMap) -> Bool {
    var behind = positions
    map.apply(to: &behind)
    return window.columns.contains {
      positions[$0] < window.start && behind[$0] > window.end
    }
  }

  mutating func advance(over summary: WaterfallSummary, count: Int) {
    summary.map.apply(to: &positions)
  }

  mutating func pass(_ index: Int, of leaf: WaterfallLeaf) -> Int64? {
    let columns = leaf.columnRange(at: index)
    let before = leaf.place(index, on: &positions)
    return columns.overlaps(window.columns) && before < window.start
      && before + leaf.advances[index] > window.end ? before : nil
  }
}
