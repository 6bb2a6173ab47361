import CollectionLayout
import LayoutGeometry
import SumTree

/// Finds placed items of one custom section.
struct CustomSearch {
  private let tree: SumTree<CustomLeaf>
  private let reader: TreeReader

  init(_ tree: SumTree<CustomLeaf>, reader: TreeReader) {
    self.tree = tree
    self.reader = reader
  }

  /// Calls `take` with the items that intersect a rectangle, by index, until it
  /// returns `false`.
  ///
  /// - Parameters:
  ///   - rect: The rectangle in canonical space, from the content's start.
  ///   - firstItem: The least index that is wanted.
  /// - Complexity: The nodes whose items cover a part of the rectangle's range of the
  ///   main axis: O(log items) where items lie in order, and no bound for a rule that
  ///   puts each anywhere.
  func forEachItem(
    in rect: Rect, from firstItem: Int, _ take: (PlacedCell) throws -> Bool
  ) throws {
    let range = rect.minY.units..<rect.maxY.units
    try tree.forEachLeaf(
      from: CustomPlace(), reader: reader,
      step: { before, summary, end in
        guard end > firstItem, let extent = summary.extent else { return .skip }
        return before.anchor + extent.lowerBound < range.upperBound
          && before.anchor + extent.upperBound > range.lowerBound ? .enter : .skip
      },
      body: { leaf, before, offset in
        var anchor = before.anchor
        for index in 0..<leaf.count {
          let cell = PlacedCell(index: offset + index, frame: leaf.frames[index].moved(by: anchor))
          anchor += leaf.advances[index]
          guard cell.index >= firstItem, cell.frame.intersects(rect) else { continue }
          if try !take(cell) { return false }
        }
        return true
      })
  }

  /// The item with an index.
  ///
  /// - Complexity: O(log items) nodes.
  func item(at index: Int) throws -> PlacedCell {
    let found = try tree.leaf(containing: index, from: CustomPlace(), reader: reader)
    let offset = index - found.offset
    let anchor = found.leaf.advances[..<offset].reduce(found.before.anchor, +)
    return PlacedCell(index: index, frame: found.leaf.frames[offset].moved(by: anchor))
  }
}

extension Rect {
  /// The rectangle further along the main axis.
  fileprivate func moved(by units: Int64) -> Rect {
    var moved = self
    moved.origin.y += Length(units: units)
    return moved
  }
}
