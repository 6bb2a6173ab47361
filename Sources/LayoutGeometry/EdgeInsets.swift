/// The distances of a rectangle's edges from those of the rectangle around it.
public struct EdgeInsets: Hashable, Sendable, Codable {
  /// How far down the top edge lies.
  public var top: Length
  /// How far to the right the left edge lies.
  public var left: Length
  /// How far up the bottom edge lies.
  public var bottom: Length
  /// How far to the left the right edge lies.
  public var right: Length

  /// No distance at any edge.
  public static let zero = EdgeInsets(top: .zero, left: .zero, bottom: .zero, right: .zero)

  /// Creates insets of four distances.
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
  public var description: String {
    "(top \(top), left \(left), bottom \(bottom), right \(right))"
  }
}

extension Rect {
  /// The rectangle less the insets; a side that they use up has length 0.
  @inlinable
  public func inset(by insets: EdgeInsets) -> Rect {
    Rect(
      x: minX + insets.left, y: minY + insets.top,
      width: max(.zero, size.width - insets.left - insets.right),
      height: max(.zero, size.height - insets.top - insets.bottom))
  }
}
