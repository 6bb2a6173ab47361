import CollectionLayout
import LayoutGeometry
import SumTree

extension WaterfallPlan {
  /// The next position is monotone along the items of one column, so a run of items is searched
  /// only if it moves some column across the rectangle. The bounding extent of a run would not
  /// be selective: once columns drift apart, it covers everything.
  ///
  /// - Complexity: O(columns · log items) nodes, and O(1) for each item found.
  func findItems(
    in rect: Rect, from firstItem: Int, of kept: StoredWaterfall, _ items: SectionItems,
    into cells: inout [PlacedCell], _ handOn: (inout [PlacedCell]) throws -> Bool
  ) throws {
    let columns = tracks.columns(reaching: rect.minX..<rect.maxX)
    if columns.isEmpty { return }
    let window = ColumnWindow(
      columns: columns, range: rect.minY.units..<rect.maxY.units, lineSpacing: lineSpacing.units)
    let session = items.session
    if kept.tree.summary.map.narrowShifts != nil {
      try search(kept.tree, rect, NarrowColumns(window), firstItem, session, &cells, handOn)
    } else {
      let all = AllColumns(window, of: tracks.count)
      try search(kept.tree, rect, all, firstItem, session, &cells, handOn)
    }
  }

  private func search<Columns: SearchedColumns>(
    _ tree: SumTree<WaterfallLeaf>, _ rect: Rect, _ start: Columns, _ firstItem: Int,
    _ session: TreeSession, _ cells: inout [PlacedCell],
    _ handOn: (inout [PlacedCell]) throws -> Bool
  ) throws {
    try tree.forEachLeaf(
      from: start, in: session,
      step: { before, summary, end in
        before.isPast ? .stop : end > firstItem && before.meet(summary.map) ? .enter : .skip
      },
      body: { leaf, before, offset in
        var mayFollow = true
        cells.append(addingCapacity: leaf.count) { added in
          mayFollow = before.forEachWanted(in: leaf) { item in
            if offset + item.index < firstItem { return }
            let cell = cell(item, from: offset)
            // A rectangle may begin in the gap after an item's columns.
            if cell.frame.maxX > rect.minX { added.append(cell) }
          }
        }
        return try handOn(&cells) && mayFollow
      })
  }

  func item(at index: Int, of kept: StoredWaterfall, _ items: SectionItems) throws -> PlacedCell {
    let found = try kept.tree.place(
      at: index, from: ColumnPositions(of: tracks.count), in: items.session)
    var positions = found.before.positions
    let start = found.leaf.place(found.index, on: &positions)
    let item = WantedItem(
      index: found.index, columns: found.leaf.columnRange(at: found.index), start: start,
      advance: found.leaf.advances[found.index])
    return cell(item, from: found.offset - found.index)
  }

  func append(
    _ range: Range<Int>, of kept: StoredWaterfall, _ items: SectionItems,
    to cells: inout [PlacedCell]
  ) throws {
    if range.isEmpty { return }
    try kept.tree.forEachLeaf(
      from: ColumnPositions(of: tracks.count), in: items.session,
      step: { _, _, end in end > range.lowerBound ? .enter : .skip },
      body: { leaf, before, offset in
        var positions = before.positions
        let last = min(leaf.count, range.upperBound - offset)
        for index in 0..<last {
          let start = leaf.place(index, on: &positions)
          if offset + index < range.lowerBound { continue }
          let item = WantedItem(
            index: index, columns: leaf.columnRange(at: index), start: start,
            advance: leaf.advances[index])
          cells.append(cell(item, from: offset))
        }
        return offset + leaf.count < range.upperBound
      })
  }

  /// An item's cell.
  ///
  /// - Parameter offset: The number of items before its leaf.
  @inline(__always)
  private func cell(_ item: WantedItem, from offset: Int) -> PlacedCell {
    let extent = tracks.extent(column: item.columns.lowerBound, columnSpan: item.columns.count)
    return PlacedCell(
      index: offset + item.index,
      frame: Rect(
        x: extent.lowerBound, y: Length(units: item.start),
        width: extent.upperBound - extent.lowerBound,
        height: Length(units: item.advance) - lineSpacing),
      column: item.columns.lowerBound)
  }
}
