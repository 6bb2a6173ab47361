public import LayoutGeometry

/// Where a custom section puts an item, and how it shows it.
public struct ItemPlacement: Hashable, Sendable {
  /// The rectangle in canonical axes: x from the container's leading edge, y from the
  /// anchor. It may be negative, but no item may start before its section's content:
  /// such a placement is refused. Sides are at most `Limits.sideMax`.
  public var frame: Rect
  /// How far the anchor moves on after the item; from 0 to `Limits.customReachMax`.
  public var advance: Length
  /// The cell's order among overlapping elements, at most `Limits.customZIndexMax` either
  /// way. An effect that orders cells has the last word.
  public var zIndex: Int
  /// How opaque the cell is, from 0 to 1.
  public var alpha: Double
  /// Whether the cell is not to be shown. Queries return it all the same.
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
