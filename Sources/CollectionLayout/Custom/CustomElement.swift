public import LayoutGeometry

/// An additional element of a section or a cell, such as a line for an hour or a badge.
public struct CustomElement: Hashable, Sendable {
  /// The kind of element, as ``LayoutAttributes/Category`` names it.
  public enum Kind: Hashable, Sendable {
    /// An element with content that is neither a header nor a footer.
    case supplementary(LayoutAttributes.SupplementaryKind)
    /// A purely decorative element.
    case decoration(String)
  }

  /// The kind of element.
  public var kind: Kind
  /// For an element of the section, its number among those of its kind, from 0. It is the item
  /// of its index path, by which transitions match it. Elements of a cell have the cell's index
  /// path instead.
  public var index: Int
  /// The rectangle in canonical axes: x from the container's leading edge, y from the start
  /// of the section's content.
  public var frame: Rect
  /// The order among overlapping elements, at most `Limits.customZIndexMax` in absolute value.
  public var zIndex: Int
  /// The opacity, from 0 to 1.
  public var alpha: Double
  /// Whether the element is hidden. Queries for rectangles and points do not answer it.
  public var isHidden: Bool

  /// Creates an element.
  public init(
    kind: Kind, index: Int = 0, frame: Rect, zIndex: Int = 0, alpha: Double = 1,
    isHidden: Bool = false
  ) {
    (self.kind, self.index, self.frame, self.zIndex) = (kind, index, frame, zIndex)
    (self.alpha, self.isHidden) = (alpha, isHidden)
  }
}

extension CustomElement.Kind {
  /// The category of elements of this kind.
  package var category: LayoutAttributes.Category {
    switch self {
    case .supplementary(let kind): .supplementary(kind: kind)
    case .decoration(let kind): .decoration(kind: kind)
    }
  }

  /// The name in answers.
  package var name: String {
    switch self {
    case .supplementary(let kind): kind.rawValue
    case .decoration(let kind): kind
    }
  }
}
