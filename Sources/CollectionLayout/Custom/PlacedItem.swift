public import LayoutGeometry

/// A placed item of a section.
public struct PlacedItem: Hashable, Sendable {
  /// The item's index in its section, from 0.
  public var index: Int
  /// The item, in canonical axes.
  public var item: LayoutItem
  /// The rectangle in canonical axes: x from the container's leading edge, y from the start
  /// of the section's content.
  public var frame: Rect
  /// The cell's order among overlapping elements.
  public var zIndex: Int
  /// The opacity of the cell, from 0 to 1.
  public var alpha: Double
  /// Whether the cell is hidden.
  public var isHidden: Bool
  /// The transform of the cell about the centre of ``frame``, in canonical axes.
  public var transform: Transform3D
  /// The further values of the cell.
  public var values: [String: ConfigurationValue]

  /// Creates a placed item.
  public init(
    index: Int, item: LayoutItem, frame: Rect, zIndex: Int = 0, alpha: Double = 1,
    isHidden: Bool = false, transform: Transform3D = .identity,
    values: [String: ConfigurationValue] = [:]
  ) {
    (self.index, self.item, self.frame, self.zIndex) = (index, item, frame, zIndex)
    (self.alpha, self.isHidden) = (alpha, isHidden)
    (self.transform, self.values) = (transform, values)
  }
}
