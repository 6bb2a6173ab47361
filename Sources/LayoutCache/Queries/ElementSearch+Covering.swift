import CollectionLayout
import LayoutGeometry

extension ElementSearch {
  /// Drops the cells of a stack whose parts in the rectangle are covered by later cells of
  /// their section.
  ///
  /// Only cells that span the covered cell's cross axis are considered. Dropping a covered cell
  /// does not change the result for other cells, because the cells that cover it cover those
  /// too: the method may be called repeatedly.
  ///
  /// - Parameter start: The first cell of the section in ``elements``.
  /// - Complexity: O(cells · remaining cells).
  mutating func dropCovered(from start: Int) {
    let axis = snapshot.plan.space.scrollAxis
    var left: [LayoutAttributes] = []
    var covers: [CellExtent] = []
    for cell in elements[start...].reversed() {
      let extent = CellExtent(cell.frame, within: contentRect, scrollAxis: axis)
      if waits(cell) && extent.isCovered(by: covers) { continue }
      left.append(cell)
      if cell.alpha == 1 && !cell.isHidden { covers.append(extent) }
    }
    elements.replaceSubrange(start..., with: left.reversed())
  }
}

/// The part of a cell's frame within a rectangle.
private struct CellExtent {
  /// The extent along the scrolling axis.
  let main: Range<Length>
  /// The extent along the cross axis.
  let cross: Range<Length>

  init(_ frame: Rect, within rect: Rect, scrollAxis: Axis) {
    let x = (frame.minX..<frame.maxX).clamped(to: rect.minX..<rect.maxX)
    let y = (frame.minY..<frame.maxY).clamped(to: rect.minY..<rect.maxY)
    (main, cross) = scrollAxis == .vertical ? (y, x) : (x, y)
  }

  /// Whether other extents, each containing this one along the cross axis, cover it together.
  func isCovered(by others: [CellExtent]) -> Bool {
    var end = main.lowerBound
    while end < main.upperBound {
      var next = end
      for other in others
      where other.main.lowerBound <= end && other.main.upperBound > next
        && other.cross.lowerBound <= cross.lowerBound && other.cross.upperBound >= cross.upperBound
      {
        next = other.main.upperBound
      }
      if next == end { return false }
      end = next
    }
    return true
  }
}
