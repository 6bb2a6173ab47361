public import LayoutGeometry

/// The position and appearance of one element in a layout, as returned by queries.
///
/// The stored rectangle is that before any transform; the transform acts about the rectangle's
/// centre. The other measures are derived from these, and so are consistent. Lengths are in the
/// layout's content.
///
/// Source: UICollectionViewLayoutAttributes of UIKit, as a value.
public struct LayoutAttributes: Hashable, Sendable {
  /// The kind of element: UIKit's `representedElementCategory`, with its kind.
  @nonexhaustive
  public enum Category: Hashable, Sendable {
    /// An item.
    case cell(key: String)
    /// A header or footer, or a supplementary element of a custom kind.
    case supplementary(kind: SupplementaryKind)
    /// A background, or a decoration of a custom kind.
    case decoration(kind: String)
  }

  /// The kind of a supplementary element, by its name: a header, a footer, or a name chosen by
  /// a custom kind.
  public struct SupplementaryKind: RawRepresentable, Hashable, Sendable {
    /// The name.
    public var rawValue: String

    /// Creates the kind with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An element before the section's content, which may pin to the visible start.
    public static let header = SupplementaryKind(rawValue: "header")
    /// An element after the section's content, which may pin to the visible end.
    public static let footer = SupplementaryKind(rawValue: "footer")
  }

  /// The kind of element.
  public var category: Category
  /// The element's position: a cell's section and item; only the section for headers, footers
  /// and backgrounds. For elements of custom kinds, the item is that of the cell that they
  /// belong to, or their number in the section.
  public var indexPath: IndexPath
  /// The key of the section in ``indexPath``.
  public var sectionKey: String
  /// The element's rectangle in the layout's content, before its transform.
  public var untransformedFrame: Rect
  /// The order of overlapping elements: higher ones lie on top.
  public var zIndex: Int
  /// The first column of a cell, in kinds with columns, in the order of placement: from the
  /// left, or from the right if the layout is mirrored across its main axis.
  @inlinable
  public var column: Int? {
    get { OptionalNumber.value(columnOrNone) }
    set { columnOrNone = OptionalNumber.word(newValue) }
  }
  @usableFromInline var columnOrNone: Int
  /// The properties that few elements have; `nil` if all have their defaults, so that equality
  /// compares values.
  @usableFromInline var appearance: ElementAppearance?

  /// The z-index of pinned headers and footers, CSS's largest: they lie above all cells,
  /// whatever the effect.
  public static let pinnedZIndex = 2_147_483_647

  /// Creates an element that is opaque, visible and not transformed.
  @inlinable
  public init(
    category: Category, indexPath: IndexPath, sectionKey: String, frame: Rect,
    zIndex: Int = 0, column: Int? = nil
  ) {
    self.category = category
    self.indexPath = indexPath
    self.sectionKey = sectionKey
    untransformedFrame = frame
    self.zIndex = zIndex
    columnOrNone = OptionalNumber.word(column)
  }
}

extension LayoutAttributes {
  /// The kind of a header, a footer or a decoration; `nil` for a cell.
  public var representedElementKind: String? {
    switch category {
    case .cell: nil
    case .supplementary(let kind): kind.rawValue
    case .decoration(let kind): kind
    }
  }
}

extension LayoutAttributes.SupplementaryKind: ExpressibleByStringLiteral {
  /// Creates the kind with a literal name.
  public init(stringLiteral name: String) { rawValue = name }
}

extension LayoutAttributes.SupplementaryKind: Codable {
  /// Decodes the name.
  public init(from decoder: any Decoder) throws {
    self.init(rawValue: try String(from: decoder))
  }

  /// Encodes the name.
  public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}
