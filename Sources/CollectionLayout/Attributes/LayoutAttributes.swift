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
    /// A header or footer of a section or of the layout, a further element of a section's
    /// boundary, or a supplementary element of a custom kind.
    case supplementary(kind: SupplementaryKind)
    /// A background, another decoration, or that of a rule.
    case decoration(kind: String)
  }

  /// The kind of a supplementary element, by its name: a header, a footer, or a name chosen by
  /// a configuration or a rule.
  public struct SupplementaryKind: RawRepresentable, Hashable, Sendable {
    /// The name.
    public var rawValue: String

    /// Creates the kind with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An element before the section's content, which may pin to the visible start.
    public static let header = SupplementaryKind(rawValue: "header")
    /// An element after the section's content, which may pin to the visible end.
    public static let footer = SupplementaryKind(rawValue: "footer")
    /// The element before the first section, which may pin to the visible start.
    public static let layoutHeader = SupplementaryKind(rawValue: "layoutHeader")
    /// The element after the last section, which may pin to the visible end.
    public static let layoutFooter = SupplementaryKind(rawValue: "layoutFooter")

    /// Whether the kind is that of an element of the whole layout.
    package var isOfLayout: Bool { self == .layoutHeader || self == .layoutFooter }
  }

  /// The kind of element.
  public var category: Category
  /// The element's position: a cell's section and item; only the section for headers, footers and
  /// backgrounds; ``IndexPath/layout`` for elements of the whole layout. For additional elements,
  /// the item is that of the cell that they belong to, or their number in the section.
  public var indexPath: IndexPath
  /// The key of the section in ``indexPath``; empty for an element of the whole layout.
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

  /// The z-index of pinned elements, CSS's largest, less one for each pinned element outside it: of
  /// the layout, and of its section. They lie above all cells, whatever the effect.
  public static let pinnedZIndex = 2_147_483_647

  /// Creates an element that is opaque, visible and not transformed.
  @inlinable
  public init(
    category: Category, indexPath: IndexPath, sectionKey: String, frame: Rect,
    zIndex: Int = 0, column: Int? = nil
  ) {
    (self.category, self.indexPath, self.sectionKey) = (category, indexPath, sectionKey)
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

extension LayoutAttributes {
  /// The position of an item: its section, and its index in the section; both from 0.
  ///
  /// Nested, because Foundation has a type of that name.
  public struct IndexPath: Hashable, Sendable, Comparable {
    /// The section's index in the layout; -1 in ``layout``.
    public var section: Int
    // One word instead of an optional, which would append a byte: attributes are copied by the
    // thousand, and types whose members are all word-aligned are copied twice as fast.
    @usableFromInline var itemOrNone: Int

    /// The item's index in its section; `nil` for the section itself.
    @inlinable
    public var item: Int? {
      get { OptionalNumber.value(itemOrNone) }
      set { itemOrNone = OptionalNumber.word(newValue) }
    }

    /// Creates the position of an item, or, without one, of a section.
    @inlinable
    public init(section: Int, item: Int? = nil) {
      self.section = section
      itemOrNone = OptionalNumber.word(item)
    }

    /// The path of the whole layout, without a section: that of its header, footer and
    /// background. UIKit's path for them has one index, which is no section.
    public static let layout = IndexPath(section: -1)

    /// Whether the path is ``layout``.
    public var isOfLayout: Bool { section < 0 }

    /// The layout comes before its sections, and they before their items.
    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool {
      (lhs.section, lhs.item ?? -1) < (rhs.section, rhs.item ?? -1)
    }
  }
}

extension LayoutAttributes.IndexPath: Codable {
  private enum CodingKeys: String, CodingKey { case section, item }

  /// Decodes an object with `section`, without one for the layout's position, and with `item`
  /// for an item's position.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      section: try values.decodeIfPresent(Int.self, forKey: .section) ?? -1,
      item: try values.decodeIfPresent(Int.self, forKey: .item))
  }

  /// Encodes the position, omitting what it lacks.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    if !isOfLayout { try values.encode(section, forKey: .section) }
    try values.encodeIfPresent(item, forKey: .item)
  }
}

/// An optional number in one word: `Int.min` means none.
@usableFromInline
enum OptionalNumber {
  @inlinable
  static func word(_ number: Int?) -> Int { number ?? .min }

  @inlinable
  static func value(_ word: Int) -> Int? { word == .min ? nil : word }
}

/// The position of an item, as used in the package.
package typealias IndexPath = LayoutAttributes.IndexPath

extension LayoutAttributes.IndexPath: CustomStringConvertible {
  /// The section and the item in the command's notation, "3.12"; for a section, "3"; "layout".
  public var description: String {
    isOfLayout ? "layout" : item.map { "\(section).\($0)" } ?? "\(section)"
  }
}

extension LayoutAttributes {
  /// The element's visible rectangle in the layout's content: without a transform
  /// ``untransformedFrame``, else the bounding box of that rectangle's transformed corners,
  /// with edges rounded to whole units, halves up.
  ///
  /// Setting it gives the rectangle to an element without a transform. A transformed element keeps
  /// its size and moves so that its centre is the rectangle's centre; the box read afterwards then
  /// differs from the one set. (In UIKit the frame of a transformed element is undefined.)
  @inlinable
  public var frame: Rect {
    get { appearance == nil ? untransformedFrame : transformedFrame }
    set {
      if appearance == nil { untransformedFrame = newValue } else { moveFrame(to: newValue) }
    }
  }

  /// The centre of the element's rectangle, about which it is transformed; rounded down to
  /// whole units.
  ///
  /// Setting it moves the element. Setting it to its current value changes nothing.
  public var center: Point {
    get { untransformedFrame.center }
    set {
      untransformedFrame.origin = Point(
        x: newValue.x - size.width.half, y: newValue.y - size.height.half)
    }
  }

  /// The element's size before its transform. Setting it keeps ``center``.
  public var size: Size {
    get { untransformedFrame.size }
    set {
      let center = self.center
      untransformedFrame.size = newValue
      self.center = center
    }
  }

  /// The element's rectangle in its own coordinate system: its size, at the origin zero.
  ///
  /// Setting it sets the ``size``, and so keeps ``center``; the new origin is ignored.
  public var bounds: Rect {
    get { Rect(origin: .zero, size: size) }
    set { size = newValue.size }
  }

  @usableFromInline
  var transformedFrame: Rect {
    let transform = transform3D
    return transform.isIdentity
      ? untransformedFrame : transform.boundingBox(of: untransformedFrame)
  }

  @usableFromInline
  mutating func moveFrame(to rect: Rect) {
    if transform3D.isIdentity { untransformedFrame = rect } else { center = rect.center }
  }
}

extension Rect {
  /// The rectangle's centre, rounded down to whole units.
  fileprivate var center: Point { Point(x: minX + size.width.half, y: minY + size.height.half) }
}

extension LayoutAttributes {
  /// Returns the attributes between these and others of the same element, as shown by
  /// `UICollectionViewTransitionLayout`.
  ///
  /// Rectangles are interpolated by their edges, rounded down to whole units, transforms by
  /// member, and alpha linearly. Other members, such as the z-index, the index path and the values, are
  /// those of `self` in the first half, and those of `final` from the middle on.
  ///
  /// - Parameters:
  ///   - final: The attributes at progress 1.
  ///   - progress: The progress from 0 to 1. Values beyond are clamped; NaN is treated as 0.
  public func interpolated(to final: LayoutAttributes, progress: Double) -> LayoutAttributes {
    guard progress > 0 else { return self }
    guard progress < 1 else { return final }
    var attributes = progress < 0.5 ? self : final
    attributes.untransformedFrame = untransformedFrame.interpolated(
      to: final.untransformedFrame, progress: progress)
    if appearance == nil && final.appearance == nil { return attributes }
    attributes.alpha = alpha + (final.alpha - alpha) * progress
    attributes.transform3D = transform3D.interpolated(to: final.transform3D, progress: progress)
    return attributes
  }

  /// The transform of the element about its centre; the identity for most.
  public var transform3D: Transform3D {
    get { appearance?.values.transform3D ?? .identity }
    set { changeAppearance { $0.transform3D = newValue } }
  }

  /// The transform of the element about its centre, if it is affine; otherwise the identity.
  /// Setting it sets ``transform3D``.
  public var transform: Transform {
    get { appearance?.values.transform3D.affine ?? .identity }
    set { transform3D = Transform3D(affine: newValue) }
  }

  /// The opacity of the element, from 0 to 1; 1 by default. Values are clamped to that range;
  /// NaN is treated as 1.
  public var alpha: Double {
    get { appearance?.values.alpha ?? 1 }
    set { changeAppearance { $0.alpha = max(0, min(1, newValue)) } }
  }

  /// Whether the element is hidden; `false` by default. Queries for rectangles, points and pages of
  /// items do not answer hidden elements, queries for keys and index paths do.
  public var isHidden: Bool {
    get { appearance?.values.isHidden ?? false }
    set { changeAppearance { $0.isHidden = newValue } }
  }

  /// Further values of a cell of a custom kind, ``ItemPlacement/values``; empty for most. They are
  /// like the members of a subclass of UICollectionViewLayoutAttributes that `layoutAttributesClass`
  /// names.
  public var values: [String: ConfigurationValue] {
    get { appearance?.values.values ?? [:] }
    set { changeAppearance { $0.values = newValue } }
  }

  /// Whether the element is opaque, visible and not transformed, without further values.
  package var isPlain: Bool { appearance == nil }

  private mutating func changeAppearance(_ change: (inout ElementAppearance.Values) -> Void) {
    var values = appearance?.values ?? ElementAppearance.Values()
    change(&values)
    appearance = values == ElementAppearance.Values() ? nil : ElementAppearance(values)
  }
}

/// The members of ``LayoutAttributes`` that hardly any element has, in an immutable box.
/// Thousands of attributes are created and copied for each that has one, and a transform alone
/// is larger than all other members together.
@usableFromInline
final class ElementAppearance: Hashable, Sendable {
  struct Values: Hashable {
    var transform3D = Transform3D.identity
    var alpha = 1.0
    var isHidden = false
    var values: [String: ConfigurationValue] = [:]
  }

  let values: Values

  init(_ values: Values) { self.values = values }

  @usableFromInline
  static func == (lhs: ElementAppearance, rhs: ElementAppearance) -> Bool {
    lhs === rhs || lhs.values == rhs.values
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
