import SumTree

/// The next positions of all columns.
struct ColumnPositions: ElementDimension {
  /// The positions after the last run that was not a ``ColumnMap/narrowShifts``.
  private var base: [Int64]
  /// The shifts since then: adding eight numbers costs less than checking which columns exist,
  /// and a search passes dozens of nodes.
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

  mutating func pass(_ index: Int, of leaf: WaterfallLeaf) {
    settle()
    _ = leaf.place(index, on: &base)
  }

  private mutating func settle() {
    if shifts.isZero { return }
    shifts.apply(to: &base)
    shifts = ColumnShifts()
  }
}
