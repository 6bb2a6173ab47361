public import LayoutGeometry

/// The position and appearance that a custom section gives to an item.
public struct ItemPlacement: Hashable, Sendable {
  /// The rectangle in canonical axes: x from the container's leading edge, y from the anchor. y
  /// may be negative, but a placement before the section's content is rejected. Sides are at
  /// most `Limits.sideMax`.
  public var frame: Rect
  /// The distance by which the anchor advances after the item; from 0 to `Limits.customReachMax`.
  public var advance: Length
  /// The cell's order among overlapping elements, at most `Limits.customZIndexMax` in absolute
  /// value. An effect that orders cells overrides it.
  public var zIndex: Int
  /// The opacity of the cell, from 0 to 1.
  public var alpha: Double
  /// Whether the cell is hidden. Queries for rectangles and points answer neither it nor its
  /// elements.
  public var isHidden: Bool
  /// The transform of the cell about the centre of ``frame``, in canonical axes: in content that is
  /// mirrored or scrolls horizontally it is mirrored and transposed as the frame is. It does not
  /// change the layout of the section, and the transformed cell may extend beyond it, by at most
  /// `Limits.customReachMax`. Members are at most `Limits.customTransformMax` in absolute value.
  ///
  /// An effect of the visible rectangle applies to the transformed cell.
  public var transform: Transform3D
  /// Further values of the cell, for clients that draw it: ``LayoutAttributes/values``. At most
  /// `Limits.customValuesMax` members and `Limits.customValuesBytesMax` bytes of JSON, with
  /// finite numbers.
  public var values: [String: ConfigurationValue]

  /// Creates a placement.
  public init(
    frame: Rect, advance: Length, zIndex: Int = 0, alpha: Double = 1, isHidden: Bool = false,
    transform: Transform3D = .identity, values: [String: ConfigurationValue] = [:]
  ) {
    self.frame = frame
    self.advance = advance
    self.zIndex = zIndex
    self.alpha = alpha
    self.isHidden = isHidden
    self.transform = transform
    self.values = values
  }
}
