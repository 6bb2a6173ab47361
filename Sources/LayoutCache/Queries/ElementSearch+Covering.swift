import CollectionLayout
import LayoutGeometry

extension ElementSearch {
  /// Drops the cells of a stack of which later ones of their section cover whatever is in the
  /// rectangle.
  ///
  /// Only cells count that are as wide as the covered one across, or wider. Whether others cover
  /// a cell does not depend on which of those are dropped, because what covers them covers it
  /// too: so it may be called as often as wanted.
  ///
  /// - Parameter start: The first cell of the section in ``elements``.
  /// - Complexity: O(cells · those that are left).
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

/// The part of a cell's frame that lies in a rectangle.
private struct CellExtent {
  /// Along the scrolling axis.
  let main: Range<Length>
  /// Across it.
  let cross: Range<Length>

  init(_ frame: Rect, within rect: Rect, scrollAxis: Axis) {
    let x = (frame.minX..<frame.maxX).clamped(to: rect.minX..<rect.maxX)
    let y = (frame.minY..<frame.maxY).clamped(to: rect.minY..<rect.maxY)
    (main, cross) = scrollAxis == .vertical ? (y, x) : (x, y)
  }

  /// Returns whether others, each of which contains this one across, cover it together.
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
