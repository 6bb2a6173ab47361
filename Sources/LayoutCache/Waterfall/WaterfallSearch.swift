import CollectionLayout
import LayoutGeometry
import SumTree

/// Finds placed items of one waterfall section.
struct WaterfallSearch {
  private let tree: SumTree<WaterfallLeaf>
  private let plan: WaterfallPlan
  private let reader: TreeReader

  /// - Throws: ``DamagedLayout`` where the tree names columns that the plan lacks.
  init(_ tree: SumTree<WaterfallLeaf>, plan: WaterfallPlan, reader: TreeReader) throws {
    guard tree.summary.map.width <= plan.tracks.count else {
      throw DamagedLayout(detail: "it has more columns than its configuration")
    }
    self.tree = tree
    self.plan = plan
    self.reader = reader
  }

  /// Calls `take` with the items that intersect a rectangle, by index, until it
  /// returns `false`.
  ///
  /// - Parameters:
  ///   - rect: The rectangle in canonical space, from the content's start.
  ///   - firstItem: The least index that is wanted.
  /// - Complexity: O(columns · log items) nodes, and O(1) for each item found.
  func forEachItem(
    in rect: Rect, from firstItem: Int, _ take: (PlacedCell) throws -> Bool
  ) throws {
    let columns = plan.tracks.columns(reaching: rect.minX..<rect.maxX)
    let range = rect.minY.units..<rect.maxY.units
    // What was found from the column before a gap may end there.
    func body(_ item: PlacedItem) throws -> Bool {
      let cell = cell(item)
      return cell.frame.maxX > rect.minX ? try take(cell) : true
    }
    if tree.summary.map.isDiagonal {
      try merge(columns, range, firstItem, { SingleColumn(column: $0) }, body)
    } else {
      let count = plan.tracks.count
      try merge(columns, range, firstItem, { TiedColumn(column: $0, of: count) }, body)
    }
  }

  /// Merges the columns' searches by index: each yields its items in order.
  private func merge<Place: ColumnPlace>(
    _ columns: Range<Int>, _ range: Range<Int64>, _ firstItem: Int,
    _ start: (Int) -> Place, _ body: (PlacedItem) throws -> Bool
  ) throws {
    var cursors = try columns.map { column in
      try ColumnCursor(
        tree, column: column, at: start(column), range: range,
        lineSpacing: plan.lineSpacing.units, firstItem: firstItem, reader: reader)
    }
    while true {
      var least: Int?
      for index in cursors.indices {
        guard let item = cursors[index].current else { continue }
        if let best = least, let other = cursors[best].current, other.index <= item.index {
          continue
        }
        least = index
      }
      guard let least, let item = cursors[least].current else { return }
      // An item over several of the columns searched comes from each.
      for index in cursors.indices where cursors[index].current?.index == item.index {
        try cursors[index].advance()
      }
      if try !body(item) { return }
    }
  }

  /// The item with an index.
  ///
  /// - Complexity: O(log items) nodes.
  func item(at index: Int) throws -> PlacedCell {
    let place = try tree.leaf(
      containing: index, from: ColumnPositions(of: plan.tracks.count), reader: reader)
    var positions = place.before.positions
    let leaf = place.leaf
    for passed in 0..<(index - place.offset) { _ = leaf.place(passed, on: &positions) }
    let item = index - place.offset
    return cell(
      PlacedItem(
        index: index, column: Int(leaf.columns[item]), columnSpan: leaf.columnSpan(at: item),
        start: leaf.place(item, on: &positions), advance: leaf.advances[item]))
  }

  private func cell(_ item: PlacedItem) -> PlacedCell {
    let extent = plan.tracks.extent(column: item.column, columnSpan: item.columnSpan)
    return PlacedCell(
      index: item.index,
      frame: Rect(
        x: extent.lowerBound, y: Length(units: item.start),
        width: extent.upperBound - extent.lowerBound,
        height: Length(units: item.advance) - plan.lineSpacing),
      column: item.column)
  }
}
