import LayoutGeometry

/// Placed items by their indices in the section, with the cells of hidden and collapsed items
/// marked as hidden. Ranges contain no collapsed ones.
struct NumberedItems: PlacedItems {
  let items: any PlacedItems
  let contentLength: Length

  func findItems(
    in rect: Rect, from firstItem: Int, _ items: SectionItems, into cells: inout [PlacedCell],
    _ handOn: (inout [PlacedCell]) throws -> Bool
  ) throws {
    var items = items
    let first = try items.place(ofIndex: firstItem)
    var numberedCount = cells.count
    try self.items.findItems(in: rect, from: first, items, into: &cells) { cells in
      for cell in cells.indices[numberedCount...] { try items.number(&cells[cell]) }
      defer { numberedCount = cells.count }
      return try handOn(&cells)
    }
  }

  func item(at index: Int, _ items: SectionItems) throws -> PlacedCell {
    var items = items
    let place = try items.place(ofIndex: index)
    guard try items.isCollapsed(index) else {
      var cell = try self.items.item(at: place, items)
      try items.number(&cell)
      return cell
    }
    let next = place < items.count ? try self.items.item(at: place, items).frame.origin : nil
    let origin = next ?? Point(x: .zero, y: contentLength)
    return PlacedCell(
      index: index, frame: Rect(origin: origin, size: Size(width: .zero, height: .zero)),
      look: CellLook(isHidden: true))
  }

  func append(
    _ range: Range<Int>, _ items: SectionItems, to cells: inout [PlacedCell]
  ) throws {
    var items = items
    let count = cells.count
    let places = try items.place(ofIndex: range.lowerBound)..<items.place(ofIndex: range.upperBound)
    try self.items.append(places, items, to: &cells)
    for cell in cells.indices[count...] { try items.number(&cells[cell]) }
  }

  func firstItem(endingAfter position: Length, _ items: SectionItems) throws -> PlacedCell? {
    var items = items
    guard var cell = try self.items.firstItem(endingAfter: position, items) else { return nil }
    try items.number(&cell)
    return cell
  }

  func extras(at index: Int, _ items: SectionItems) throws -> CellExtras? {
    try self.items.extras(at: items.place(ofIndex: index), items)
  }
}
