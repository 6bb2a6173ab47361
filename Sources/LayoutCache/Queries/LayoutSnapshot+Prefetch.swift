import CollectionLayout
public import LayoutGeometry

/// The side of a visible rectangle on which to prefetch.
public enum PrefetchDirection: Hashable, Sendable {
  /// Towards the content's leading edge along the scrolling axis.
  case before
  /// Towards its end.
  case after
}

/// The elements next to the visible rectangle.
public struct Prefetch: Sendable {
  /// The rectangle, within the content; empty at its end.
  public var rect: Rect
  /// The elements of the rectangle that are not visible yet, in the order of answers.
  public var elements: [LayoutAttributes]
  public var work: QueryWork
}

extension LayoutSnapshot {
  /// Returns the elements before or after a visible rectangle that are not visible yet.
  ///
  ///     let soon = try snapshot.prefetch(.after, visible: bounds, length: 2 * bounds.size.height)
  ///
  /// Headers, footers and effects are as in the visible rectangle.
  ///
  /// - Parameters:
  ///   - side: The side on which to prefetch.
  ///   - visible: The visible rectangle, in the content.
  ///   - length: The distance along the scrolling axis; negative values count as 0.
  /// - Complexity: As ``elements(in:visible:limit:)``.
  public func prefetch(
    _ side: PrefetchDirection, visible: Rect, length: Length
  ) throws -> Prefetch {
    let visible = visible.bounded
    let rect = prefetchRect(side, visible: visible, length: length)
    let page = try elements(in: rect, visible: visible)
    return Prefetch(
      rect: rect, elements: page.elements.filter { !$0.frame.intersects(visible) },
      work: page.work)
  }

  /// Returns the rectangle before or after a visible one, with the same cross extent, within
  /// the content.
  public func prefetchRect(_ side: PrefetchDirection, visible: Rect, length: Length) -> Rect {
    let space = plan.space
    let bounds = space.canonical(visible.bounded, mainLength: mainLength)
    func clamped(_ position: Length) -> Length { max(.zero, min(mainLength, position)) }
    let length = clamped(length)
    let (start, end) =
      switch side {
      case .before: (clamped(bounds.minY - length), clamped(bounds.minY))
      case .after: (clamped(bounds.maxY), clamped(bounds.maxY + length))
      }
    return space.content(
      Rect(x: bounds.minX, y: start, width: bounds.size.width, height: max(.zero, end - start)),
      mainLength: mainLength)
  }
}
