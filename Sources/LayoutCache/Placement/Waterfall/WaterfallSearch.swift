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
  /// The next position is monotone along the items of one column, so a run of items is
  /// looked into where it moves some column across the rectangle. What a run covers as
  /// a whole would not do: once columns drift apart, that is everything.
  ///
  /// - Parameters:
  ///   - rect: The rectangle in canonical space, from the content's start.
  ///   - firstItem: The least index that is wanted.
  /// - Complexity: O(columns · log items) nodes, and O(1) for each item found.
  func forEachItem(
    in rect: Rect, from firstItem: Int, _ take: (PlacedCell) throws -> Bool
  ) throws {
    let columns = plan.tracks.columns(reaching: rect.minX..<rect.maxX)
    if columns.isEmpty { return }
    let window = ColumnWindow(
      columns: columns, range: rect.minY.units..<rect.maxY.units,
      lineSpacing: plan.lineSpacing.units)
    if tree.summary.map.narrowShifts != nil {
      try search(rect, NarrowColumns(window), firstItem, take)
    } else {
      try search(rect, AllColumns(window, of: plan.tracks.count), firstItem, take)
    }
  }

  private func search<Columns: SearchedColumns>(
    _ rect: Rect, _ start: Columns, _ firstItem: Int, _ take: (PlacedCell) throws -> Bool
  ) throws {
    try tree.forEachLeaf(
      from: start, reader: reader,
      step: { before, summary, end in
        before.isPast ? .stop : end > firstItem && before.meet(summary.map) ? .enter : .skip
      },
      body: { leaf, before, offset in
        var columns = copy before
        for index in 0..<leaf.count {
          guard let start = columns.pass(index, of: leaf), offset + index >= firstItem else {
            continue
          }
          let cell = cell(offset + index, leaf.columnRange(at: index), start, leaf.advances[index])
          // What reaches into a gap between columns may end there.
          guard cell.frame.maxX > rect.minX else { continue }
          if try !take(cell) { return false }
        }
        return true
      })
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
      index, leaf.columnRange(at: item), leaf.place(item, on: &positions), leaf.advances[item])
  }

  private func cell(
    _ index: Int, _ columns: Range<Int>, _ start: Int64, _ advance: Int64
  ) -> PlacedCell {
    let extent = plan.tracks.extent(column: columns.lowerBound, columnSpan: columns.count)
    return PlacedCell(
      index: index,
      frame: Rect(
        x: extent.lowerBound, y: Length(units: start),
        width: extent.upperBound - extent.lowerBound,
        height: Length(units: advance) - plan.lineSpacing),
      column: columns.lowerBound)
  }
}
