public import LayoutGeometry

/// An element that a custom kind has of its own besides its cells, such as a line for an
/// hour or a badge.
public struct OwnElement: Hashable, Sendable {
  /// The kind of element, as ``LayoutAttributes/Category`` names it.
  public enum Kind: Hashable, Sendable {
    /// One that shows something: neither a header nor a footer.
    case supplementary(LayoutAttributes.SupplementaryKind)
    /// One that only decorates.
    case decoration(String)
  }

  /// The kind of element.
  public var kind: Kind
  /// Of an element of the section, its number among those of its kind, from 0: the item of
  /// its index path, by which a transition knows it again. Elements of a cell have the cell's
  /// index path, whatever this says.
  public var index: Int
  /// The rectangle in canonical axes: x from the container's leading edge, y from the start
  /// of the section's content.
  public var frame: Rect
  /// Its order among overlapping elements, at most `Limits.customZIndexMax` either way.
  public var zIndex: Int
  /// How opaque it is, from 0 to 1.
  public var alpha: Double
  /// Whether it is not to be shown. Queries return it all the same.
  public var isHidden: Bool

  /// Creates an element.
  public init(
    kind: Kind, index: Int = 0, frame: Rect, zIndex: Int = 0, alpha: Double = 1,
    isHidden: Bool = false
  ) {
    self.kind = kind
    self.index = index
    self.frame = frame
    self.zIndex = zIndex
    self.alpha = alpha
    self.isHidden = isHidden
  }
}

extension OwnElement.Kind {
  /// The category of such elements.
  package var category: LayoutAttributes.Category {
    switch self {
    case .supplementary(let kind): .supplementary(kind: kind)
    case .decoration(let kind): .decoration(kind: kind)
    }
  }

  /// Its name in answers.
  var name: String {
    switch self {
    case .supplementary(let kind): kind.rawValue
    case .decoration(let kind): kind
    }
  }
}
