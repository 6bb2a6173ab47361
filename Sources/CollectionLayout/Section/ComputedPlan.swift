package import LayoutGeometry

/// A kind whose places follow from the items' indices and number, in canonical axes.
/// Nothing is kept for its items, and no edit computes any.
package enum ComputedPlan: Hashable, Sendable {
  /// Equal rows of as many items as there are columns.
  case grid(GridPlan)
  /// All items on a circle.
  case circle(CirclePlan)

  /// The content's length; 0 with no items.
  ///
  /// - Throws: `LimitError` beyond ``Limits/contentLengthMax``.
  @inlinable
  package func contentLength(ofCount count: Int) throws(LimitError) -> Length {
    switch self {
    case .grid(let plan): try plan.contentLength(ofCount: count)
    case .circle(let plan): count == 0 ? .zero : plan.pageLength
    }
  }

  /// The rectangle of an item, from the content's start.
  @inlinable
  package func frame(at index: Int, ofCount count: Int) -> Rect {
    switch self {
    case .grid(let plan): plan.frame(at: index)
    case .circle(let plan): plan.frame(at: index, ofCount: count)
    }
  }

  /// Items that hold all which share a point with a range of the main axis: those of
  /// a grid's rows, all those of a circle.
  @inlinable
  package func items(in range: Range<Length>, ofCount count: Int) -> Range<Int> {
    switch self {
    case .grid(let plan): plan.items(in: range, ofCount: count)
    case .circle: 0..<count
    }
  }

  /// The column of an item; `nil` for kinds without columns.
  @inlinable
  package func column(of index: Int) -> Int? {
    guard case .grid(let plan) = self else { return nil }
    return index % plan.tracks.count
  }
}
