public import LayoutGeometry

/// One element's place and look in a layout: what a query returns.
///
/// The stored rectangle is the element's before any transform, and the transform,
/// which acts about the rectangle's centre; the other measures follow from these and
/// agree with each other. Lengths are in the layout's content.
///
/// Source: UICollectionViewLayoutAttributes of UIKit, as a value.
public struct LayoutAttributes: Hashable, Sendable {
  /// The kind of element: UIKit's `representedElementCategory`, with its kind.
  @nonexhaustive
  public enum Category: Hashable, Sendable {
    /// An item.
    case cell(key: String)
    /// A header or footer, or one that a custom kind has.
    case supplementary(kind: SupplementaryKind)
    /// A background, or one that a custom kind has.
    case decoration(kind: String)
  }

  /// The kind of a supplementary element, by its name: a header or a footer, or what a custom
  /// kind calls it.
  public struct SupplementaryKind: RawRepresentable, Hashable, Sendable {
    /// The name.
    public var rawValue: String

    /// Creates the kind of a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An element before the section's content, which may stay in sight while the content is.
    public static let header = SupplementaryKind(rawValue: "header")
    /// An element after the section's content, which may stay in sight while the content is.
    public static let footer = SupplementaryKind(rawValue: "footer")
  }

  /// The kind of element.
  public var category: Category
  /// Where the element belongs: a cell's section and item; the section alone for headers,
  /// footers and backgrounds. Of a custom kind's own, the item is that of the cell that they
  /// belong to, or their number in the section.
  public var indexPath: IndexPath
  /// The key of the section that ``indexPath`` counts.
  public var sectionKey: String
  /// The element's rectangle in the layout's content, before its transform.
  public var untransformedFrame: Rect
  /// The order of overlapping elements: higher ones lie on top.
  public var zIndex: Int
  /// The first column of a cell, in kinds that have columns, counted in the
  /// order of placement: from the left, or from the right where the layout is
  /// mirrored across its main axis.
  @inlinable
  public var column: Int? {
    get { OptionalNumber.value(columnOrNone) }
    set { columnOrNone = OptionalNumber.word(newValue) }
  }
  @usableFromInline var columnOrNone: Int
  /// Properties that few elements have; `nil` if all have their defaults, as equality
  /// by value needs.
  @usableFromInline var appearance: ElementAppearance?

  /// The z-index of headers and footers that pin, CSS's largest: they lie over the cells,
  /// whatever an effect does to those.
  public static let pinnedZIndex = 2_147_483_647

  /// Creates an element that is opaque, shown and not transformed.
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
  /// Creates the kind of a name that is written in the program.
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
