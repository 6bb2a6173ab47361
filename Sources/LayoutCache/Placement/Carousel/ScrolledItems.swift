import LayoutGeometry

/// The items of a carousel at a scroll position. Queries for a rectangle find those that are also
/// within the container, at least in part.
struct ScrolledItems: PlacedItems {
  /// The items at offset 0.
  let items: any PlacedItems
  /// The distance by which the items are scrolled across the main axis.
  let offset: Length
  /// The container's length across the main axis.
  let containerWidth: Length

  func findItems(
    in rect: Rect, from firstItem: Int, _ items: SectionItems, into cells: inout [PlacedCell],
    _ handOn: (inout [PlacedCell]) throws -> Bool
  ) throws {
    if rect.isEmpty { return }
    // Intervals that meet one another have a common point: that of a cell, the rectangle and the
    // container, or, if the rectangle is outside the container, an edge of the container.
    let edge = Length(units: 1)
    let start = max(.zero, min(rect.minX, containerWidth - edge))
    let end = max(start + edge, min(rect.maxX, containerWidth))
    let searched = Rect(
      x: start + offset, y: rect.minY, width: end - start, height: rect.size.height)
    let isOutside = rect.minX >= containerWidth || rect.maxX <= .zero
    var movedCount = cells.count
    try self.items.findItems(in: searched, from: firstItem, items, into: &cells) { cells in
      move(&cells, from: movedCount)
      if isOutside { cells.removeSubrange(from: movedCount) { !$0.frame.intersects(rect) } }
      defer { movedCount = cells.count }
      return try handOn(&cells)
    }
  }

  func item(at index: Int, _ items: SectionItems) throws -> PlacedCell {
    moved(try self.items.item(at: index, items))
  }

  func append(
    _ range: Range<Int>, _ items: SectionItems, to cells: inout [PlacedCell]
  ) throws {
    let count = cells.count
    try self.items.append(range, items, to: &cells)
    move(&cells, from: count)
  }

  /// The item may be outside the container.
  func firstItem(endingAfter position: Length, _ items: SectionItems) throws -> PlacedCell? {
    try self.items.firstItem(endingAfter: position, items).map(moved)
  }

  private func moved(_ cell: PlacedCell) -> PlacedCell {
    var cell = cell
    cell.frame.origin.x -= offset
    return cell
  }

  private func move(_ cells: inout [PlacedCell], from start: Int) {
    if offset == .zero { return }
    for index in cells.indices[start...] { cells[index].frame.origin.x -= offset }
  }
}

extension [PlacedCell] {
  /// Removes the cells from an index on that satisfy a condition.
  fileprivate mutating func removeSubrange(
    from start: Int, where isRemoved: (PlacedCell) -> Bool
  ) {
    let kept = self[start...].filter { !isRemoved($0) }
    replaceSubrange(start..., with: kept)
  }
}
