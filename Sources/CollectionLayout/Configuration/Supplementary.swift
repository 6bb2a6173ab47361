extension SectionOptions {
  /// An element before or after a section's content, in addition to the header and the footer.
  ///
  ///     let filter = SectionOptions.Supplementary(kind: "filter", length: 40, pins: true)
  ///
  /// Source: NSCollectionLayoutBoundarySupplementaryItem of UIKit, without an offset and always
  /// part of the section's length.
  public struct Supplementary: Hashable, Sendable {
    /// The edge of the section along the scrolling axis.
    public enum Edge: String, Hashable, Sendable, Codable, CaseIterable {
      /// Before the items: after the header and the preceding elements of the list.
      case top
      /// After the items: before the footer and the preceding elements of the list.
      case bottom
    }

    /// The position across the container of an element that does not fill it.
    @nonexhaustive
    public enum Alignment: String, Hashable, Sendable, Codable, CaseIterable {
      case leading, center, trailing
    }

    /// The element kind in queries: 1 to 255 bytes of UTF-8, another one than those of the
    /// section's other elements.
    public var kind: LayoutAttributes.SupplementaryKind
    /// The edge at which the element is.
    public var edge: Edge
    /// The length along the scrolling axis that the element adds to the section: above 0.
    public var length: ContainerLength
    /// The distance of the element from the edges of its place, in points. It leaves at least
    /// 1/64 point of both sides.
    public var inset: ContainerInsets
    /// The extent of the place across the container, above 0 and at most that of the container;
    /// `nil` for the whole container.
    public var crossLength: ContainerLength?
    /// The position of a place with a ``crossLength``.
    public var alignment: Alignment
    /// Whether the element stays visible while its section is.
    public var pins: Bool
    /// The order among overlapping elements, of an element that does not pin: higher ones lie on
    /// top.
    public var zIndex: Int

    /// Creates an element.
    public init(
      kind: LayoutAttributes.SupplementaryKind, edge: Edge = .top, length: ContainerLength,
      inset: ContainerInsets = .zero, crossLength: ContainerLength? = nil,
      alignment: Alignment = .leading, pins: Bool = false, zIndex: Int = 0
    ) {
      (self.kind, self.edge, self.length, self.inset) = (kind, edge, length, inset)
      (self.crossLength, self.alignment) = (crossLength, alignment)
      (self.pins, self.zIndex) = (pins, zIndex)
    }
  }
}

extension SectionOptions.Supplementary: Codable {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case kind, edge, length, inset, crossLength, alignment, pins, zIndex
  }

  /// Decodes an element; all members other than `kind` and `length` have defaults.
  ///
  /// - Throws: ``ConfigurationError`` for an unknown or a missing member.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    for key in [CodingKeys.kind, .length] where !values.contains(key) {
      throw ConfigurationError(.missing(key.rawValue), at: decoder.codingPath.map(\.name))
    }
    self.init(
      kind: try values.decode(LayoutAttributes.SupplementaryKind.self, forKey: .kind),
      edge: try values.decodeChoiceIfPresent(Edge.self, forKey: .edge) ?? .top,
      length: try values.decode(ContainerLength.self, forKey: .length),
      inset: try values.decodeIfPresent(ContainerInsets.self, forKey: .inset) ?? .zero,
      crossLength: try values.decodeIfPresent(ContainerLength.self, forKey: .crossLength),
      alignment: try values.decodeChoiceIfPresent(Alignment.self, forKey: .alignment) ?? .leading,
      pins: try values.decodeIfPresent(Bool.self, forKey: .pins) ?? false,
      zIndex: try values.decodeWholeNumberIfPresent(forKey: .zIndex) ?? 0)
  }
}
