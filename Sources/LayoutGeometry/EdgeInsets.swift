/// The distances of a rectangle's edges from those of the enclosing rectangle.
public struct EdgeInsets: Hashable, Sendable, Codable {
  /// The distance of the top edge, downward.
  public var top: Length
  /// The distance of the left edge, to the right.
  public var left: Length
  /// The distance of the bottom edge, upward.
  public var bottom: Length
  /// The distance of the right edge, to the left.
  public var right: Length

  /// Insets of zero.
  public static let zero = EdgeInsets(top: .zero, left: .zero, bottom: .zero, right: .zero)

  /// Creates insets from four distances.
  public init(top: Length, left: Length, bottom: Length, right: Length) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }

  /// The insets with their axes exchanged: top with left, bottom with right.
  public var transposed: EdgeInsets {
    EdgeInsets(top: left, left: top, bottom: right, right: bottom)
  }
}

extension EdgeInsets: CustomStringConvertible {
  /// The distances in points: "(top 8, left 16, bottom 8, right 16)".
  public var description: String { "(top \(top), left \(left), bottom \(bottom), right \(right))" }
}

extension Rect {
  /// Returns the rectangle reduced by the insets; a side that they exceed has length 0.
  @inlinable
  public func inset(by insets: EdgeInsets) -> Rect {
    Rect(
      x: minX + insets.left, y: minY + insets.top,
      width: max(.zero, size.width - insets.left - insets.right),
      height: max(.zero, size.height - insets.top - insets.bottom))
  }

  /// Returns the rectangle extended by a distance on each side.
  package func extended(by distance: Length) -> Rect {
    inset(by: EdgeInsets(top: -distance, left: -distance, bottom: -distance, right: -distance))
  }
}
