import CollectionLayout
import LayoutGeometry
import SumTree

extension WaterfallPlan {
  /// The next position is monotone along the items of one column, so a run of items is
  /// looked into where it moves some column across the rectangle. What a run covers as
  /// a whole would not do: once columns drift apart, that is everything.
  ///
  /// - Complexity: O(columns · log items) nodes, and O(1) for each item found.
  func forEachItem(
    in rect: Rect, from firstItem: Int, of kept: KeptWaterfall, _ items: SectionItems,
    _ take: (PlacedCell) throws -> Bool
  ) throws {
    let columns = tracks.columns(reaching: rect.minX..<rect.maxX)
    if columns.isEmpty { return }
    let window = ColumnWindow(
      columns: columns, range: rect.minY.units..<rect.maxY.units, lineSpacing: lineSpacing.units)
    let session = items.session
    if kept.tree.summary.map.narrowShifts != nil {
      try search(kept.tree, rect, NarrowColumns(window), firstItem, session, take)
    } else {
      let all = AllColumns(window, of: tracks.count)
      try search(kept.tree, rect, all, firstItem, session, take)
    }
  }

  private func search<Columns: SearchedColumns>(
    _ tree: SumTree<WaterfallLeaf>, _ rect: Rect, _ start: Columns, _ firstItem: Int,
    _ session: TreeSession, _ take: (PlacedCell) throws -> Bool
  ) throws {
    try tree.forEachLeaf(
      from: start, in: session,
      step: { before, summary, end in
        before.isPast ? .stop : end > firstItem && before.meet(summary.map) ? .enter : .skip
      },
      body: { leaf, before, offset in
        var columns = copy before
        for index in 0..<leaf.count {
          guard let start = columns.pass(index, of: leaf), offset + index >= firstItem else {
            continue
          }
          let cell = cell(index, of: leaf, from: offset, start: start)
          // What reaches into a gap between columns may end there.
          guard cell.frame.maxX > rect.minX else { continue }
          if try !take(cell) { return false }
        }
        return true
      })
  }

  func item(at index: Int, of kept: KeptWaterfall, _ items: SectionItems) throws -> PlacedCell {
    let found = try kept.tree.place(
      at: index, from: ColumnPositions(of: tracks.count), in: items.session)
    var positions = found.before.positions
    let start = found.leaf.place(found.index, on: &positions)
    return cell(found.index, of: found.leaf, from: found.offset - found.index, start: start)
  }

  private func cell(
    _ index: Int, of leaf: WaterfallLeaf, from offset: Int, start: Int64
  ) -> PlacedCell {
    let columns = leaf.columnRange(at: index)
    let extent = tracks.extent(column: columns.lowerBound, columnSpan: columns.count)
    return PlacedCell(
      index: offset + index,
      frame: Rect(
        x: extent.lowerBound, y: Length(units: start),
        width: extent.upperBound - extent.lowerBound,
        height: Length(units: leaf.advances[index]) - lineSpacing),
      column: columns.lowerBound)
  }
}
