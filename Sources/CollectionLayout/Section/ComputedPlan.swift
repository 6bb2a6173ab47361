package import LayoutGeometry

/// A kind whose positions follow from the items' indices and count, in canonical axes. Nothing
/// is stored for its items, and edits compute none.
package enum ComputedPlan: Hashable, Sendable {
  /// Equal rows with one item per column.
  case grid(GridPlan)
  /// All items on a circle.
  case circle(CirclePlan)

  /// Returns the content's length; 0 without items.
  ///
  /// - Throws: `LimitError` beyond ``Limits/contentLengthMax``.
  @inlinable
  package func contentLength(ofCount count: Int) throws(LimitError) -> Length {
    switch self {
    case .grid(let plan): try plan.contentLength(ofCount: count)
    case .circle(let plan): count == 0 ? .zero : plan.pageLength
    }
  }

  /// Returns the rectangle of an item, from the content's start.
  @inlinable
  package func frame(at index: Int, ofCount count: Int) -> Rect {
    switch self {
    case .grid(let plan): plan.frame(at: index)
    case .circle(let plan): plan.frame(at: index, ofCount: count)
    }
  }

  /// Returns a range of items that includes all that intersect a range of the main axis: the
  /// items of a grid's rows, or all items of a circle.
  @inlinable
  package func items(in range: Range<Length>, ofCount count: Int) -> Range<Int> {
    switch self {
    case .grid(let plan): plan.items(in: range, ofCount: count)
    case .circle: 0..<count
    }
  }

  /// Returns the column of an item; `nil` for kinds without columns.
  @inlinable
  package func column(of index: Int) -> Int? {
    guard case .grid(let plan) = self else { return nil }
    return index % plan.tracks.count
  }
}
