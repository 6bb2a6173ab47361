import CollectionLayout
import LayoutGeometry
import SumTree

/// The states of a waterfall's columns along its placed items.
struct SectionStates {
  private let tree: SumTree<WaterfallLeaf>
  private let plan: WaterfallPlan
  private var items: ElementFinger<WaterfallLeaf, ColumnPositions>

  init(_ tree: SumTree<WaterfallLeaf>, plan: WaterfallPlan, in session: TreeSession) {
    self.tree = tree
    self.plan = plan
    items = ElementFinger(tree, from: ColumnPositions(of: plan.tracks.count), in: session)
  }

  /// Returns the columns that an item spans, and its advance, in units.
  ///
  /// - Returns: `nil` if the item does not exist.
  /// - Complexity: As ``positions(before:)``, which is then O(1) for the same item.
  mutating func item(at index: Int) throws -> (columns: Range<Int>, advance: Int64)? {
    guard try items.seek(toElement: index) else { return nil }
    return (items.leaf.columnRange(at: items.index), items.leaf.advances[items.index])
  }

  /// Returns the columns' next positions before an item, or after the last, in units.
  ///
  /// - Complexity: O(log items) nodes.
  mutating func positions(before index: Int) throws -> [Int64] {
    try items.seek(toElement: index)
      ? items.before.positions : tree.summary.positions(of: plan)
  }

  /// Returns the state before an item, or after the last.
  ///
  /// - Complexity: O(log items) nodes.
  mutating func placement(before index: Int) throws -> WaterfallPlacement {
    var cursor = 0
    // Only this rule depends on the previous item.
    if plan.ties == .cursor, try items.seek(toElement: index - 1) {
      cursor = items.leaf.columnRange(at: items.index).upperBound % plan.tracks.count
    }
    let positions = try positions(before: index)
    return WaterfallPlacement(
      plan: plan, positions: positions.map { Length(units: $0) }, cursor: cursor)
  }
}

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
