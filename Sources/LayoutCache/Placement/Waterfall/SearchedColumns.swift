import SumTree

/// The target of a search in a waterfall: items of some columns that intersect a range of the
/// main axis.
struct ColumnWindow {
  let columns: Range<Int>
  /// Items match if they start before this position, in units.
  let start: Int64
  /// Items match if they move their column beyond this position.
  let end: Int64

  init(columns: Range<Int>, range: Range<Int64>, lineSpacing: Int64) {
    self.columns = columns
    start = range.upperBound
    // Every item moves its column beyond 0, and a column without items stays at 0.
    end = max(0, range.lowerBound + lineSpacing)
  }
}

/// An item of a leaf that matches a search.
struct WantedItem {
  var index: Int
  /// The columns that the item spans.
  var columns: Range<Int>
  /// The item's start, in units from the content's start.
  var start: Int64
  /// The item's length plus the line spacing.
  var advance: Int64
}

/// The columns' next positions during a search, with the target.
protocol SearchedColumns: Dimension where LeafSummary == WaterfallSummary {
  /// Whether no matching item follows: each column has passed the window.
  var isPast: Bool { get }

  /// Whether a run of items moves one of the columns across the window.
  func meet(_ map: ColumnMap) -> Bool

  /// Calls `take` with the matching items of a leaf in order.
  ///
  /// - Returns: Whether matching items may follow after the leaf.
  func forEachWanted(
    in leaf: WaterfallLeaf, _ take: (_ item: WantedItem) -> Void
  ) -> Bool
}

/// At most eight columns that move independently.
struct NarrowColumns: SearchedColumns {
  /// The positions. Those of other columns are initially far beyond the window.
  private var positions: ColumnShifts
  private let start: Int64
  private let end: Int64

  /// A position after all valid ones, and far from overflow.
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

  @inline(__always)
  func forEachWanted(
    in leaf: WaterfallLeaf, _ take: (_ item: WantedItem) -> Void
  ) -> Bool {
    var positions = positions
    return leaf.withItems { columns, advances in
      positions.withColumns { positions in
        // The columns that have not passed the window.
        var rest = 0
        for position in positions where position < start { rest += 1 }
        for index in columns.indices {
          let column = Int(columns[index])
          precondition(column < positions.count)
          let before = positions[column]
          let behind = before &+ advances[index]
          positions[column] = behind
          if before >= start { continue }
          if behind > end {
            take(
              WantedItem(
                index: index, columns: column..<(column + 1), start: before,
                advance: advances[index]))
          }
          if behind >= start {
            rest -= 1
            if rest == 0 { return false }
          }
        }
        return true
      }
    }
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

  @inline(__always)
  func forEachWanted(
    in leaf: WaterfallLeaf, _ take: (_ item: WantedItem) -> Void
  ) -> Bool {
    var positions = positions
    for index in 0..<leaf.count {
      let before = leaf.place(index, on: &positions)
      let (columns, advance) = (leaf.columnRange(at: index), leaf.advances[index])
      if columns.overlaps(window.columns) && before < window.start
        && before + advance > window.end
      {
        take(WantedItem(index: index, columns: columns, start: before, advance: advance))
      }
    }
    return true
  }
}
