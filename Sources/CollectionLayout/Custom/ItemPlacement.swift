public import LayoutGeometry

/// The position and appearance that a custom section gives to an item.
public struct ItemPlacement: Hashable, Sendable {
  /// The rectangle in canonical axes: x from the container's leading edge, y from the anchor. y
  /// may be negative, but a placement before the section's content is rejected. Sides are at
  /// most `Limits.sideMax`.
  public var frame: Rect
  /// The distance by which the anchor advances after the item; from 0 to
  /// `Limits.customReachMax`.
  public var advance: Length
  /// The cell's order among overlapping elements, at most `Limits.customZIndexMax` in absolute
  /// value. An effect that orders cells overrides it.
  public var zIndex: Int
  /// The opacity of the cell, from 0 to 1.
  public var alpha: Double
  /// Whether the cell is hidden. Queries for rectangles and points answer neither it nor its
  /// elements.
  public var isHidden: Bool

  /// Creates a placement.
  public init(
    frame: Rect, advance: Length, zIndex: Int = 0, alpha: Double = 1, isHidden: Bool = false
  ) {
    self.frame = frame
    self.advance = advance
    self.zIndex = zIndex
    self.alpha = alpha
    self.isHidden = isHidden
  }
}
