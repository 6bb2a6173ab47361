public import LayoutGeometry

extension SectionOptions {
  /// A supplementary element on cells, such as a dot on unread messages.
  ///
  /// Source: `NSCollectionLayoutSupplementaryItem` of UIKit, with a container anchor.
  public struct Badge: Hashable, Sendable {
    /// The position on the cell: the badge lies within it, at the named edges, and centred,
    /// rounded down to whole units, along an axis without one.
    @nonexhaustive
    public enum Anchor: String, Hashable, Sendable, Codable, CaseIterable {
      case top, bottom, leading, trailing, topLeading, topTrailing, bottomLeading, bottomTrailing
      case center
    }

    /// The element kind in queries, different from those of the section's other elements.
    public var kind: String
    /// The position on the cell, in the content's axes; `leading` is on the right if the layout
    /// reads from right to left.
    public var anchor: Anchor
    /// The size in the content's axes; each side up to 1,000 points.
    public var size: Size
    /// The distance from the anchored position in the content's axes: toward the trailing edge
    /// and downward, up to 1,000 points either way.
    public var offset: Point
    /// The condition on the items with a badge, a filter such as `unread = true`; `nil` for all.
    public var when: String?

    /// Creates a badge.
    public init(
      kind: String, anchor: Anchor = .topTrailing, size: Size, offset: Point = .zero,
      when: String? = nil
    ) {
      (self.kind, self.anchor, self.size) = (kind, anchor, size)
      (self.offset, self.when) = (offset, when)
    }
  }

  /// A decoration of a section, of runs of its items, or between its items.
  ///
  /// Source: `NSCollectionLayoutDecorationItem` of UIKit.
  public struct Decoration: Hashable, Sendable {
    /// The area that is decorated.
    @nonexhaustive
    public enum Place: Hashable, Sendable {
      /// The whole section, with its header and footer. Its index path is the section's.
      case section
      /// The insets and the content, as for a ``Background``. Its index path is the section's.
      case content
      /// The bounds of each run of so many items, 1 to 1,000. Collapsed items do not count. The
      /// item of its index path is the run's number. In flow, justified and grid sections.
      case run(count: Int)
      /// A strip of a length before each item that does not begin at the content's start, up to
      /// 1,000 points. Of the inset, only the sides across apply. Its index path is the item's.
      case separator(length: Length)
    }

    /// The element kind in queries, different from those of the section's other elements.
    public var kind: String
    /// The area.
    public var place: Place
    /// The distance from the area's edges, in the content's axes, before mirroring.
    public var inset: ContainerInsets
    /// The order among overlapping elements.
    public var zIndex: Int

    /// Creates a decoration.
    ///
    /// - Parameter zIndex: By default 0 for separators, and -1, below the cells, for others.
    public init(kind: String, place: Place, inset: ContainerInsets = .zero, zIndex: Int? = nil) {
      (self.kind, self.place, self.inset) = (kind, place, inset)
      let isSeparator = if case .separator = place { true } else { false }
      self.zIndex = zIndex ?? (isSeparator ? 0 : -1)
    }
  }

  /// A registered ``SectionDecorator`` with its options.
  public struct Decorator: Hashable, Sendable {
    /// The decorator's name.
    public var kind: String
    /// The options passed to its initializer.
    public var options: [String: ConfigurationValue]

    /// Names a decorator.
    public init(_ kind: String, options: [String: ConfigurationValue] = [:]) {
      (self.kind, self.options) = (kind, options)
    }
  }
}

/// An object without unknown members.
private struct StrictObject<Key: CodingKey & CaseIterable>: Decodable {
  let values: KeyedDecodingContainer<Key>

  init(from decoder: any Decoder) throws {
    values = try decoder.strictContainer(keyedBy: Key.self)
  }
}

extension SectionOptions.Badge: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable { case kind, anchor, size, offset, when }
  private enum SizeKeys: String, CodingKey, CaseIterable { case width, height }
  private enum OffsetKeys: String, CodingKey, CaseIterable { case x, y }

  /// Decodes an object; `kind` and `size` are required.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    let size = try values.decode(StrictObject<SizeKeys>.self, forKey: .size).values
    let offset = try values.decodeIfPresent(StrictObject<OffsetKeys>.self, forKey: .offset)?.values
    self.init(
      kind: try values.decode(String.self, forKey: .kind),
      anchor: try values.decodeChoiceIfPresent(Anchor.self, forKey: .anchor) ?? .topTrailing,
      size: Size(
        width: try size.decode(Length.self, forKey: .width),
        height: try size.decode(Length.self, forKey: .height)),
      offset: Point(
        x: try offset?.decodeIfPresent(Length.self, forKey: .x) ?? .zero,
        y: try offset?.decodeIfPresent(Length.self, forKey: .y) ?? .zero),
      when: try values.decodeIfPresent(String.self, forKey: .when))
  }
}

extension SectionOptions.Decoration: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case kind, place, count, length, inset, zIndex
  }
  private enum PlaceName: String, Codable, CaseIterable { case section, content, run, separator }

  /// Decodes an object; `kind` and `place` are required, and `count` of runs and `length` of
  /// separators.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    func error(_ code: ConfigurationError.Code) -> ConfigurationError {
      ConfigurationError(code, at: decoder.codingPath.map(\.stringValue))
    }
    let count = try values.decodeWholeNumberIfPresent(forKey: .count)
    let length = try values.decodeIfPresent(Length.self, forKey: .length)
    let place: Place
    switch (try values.decodeChoiceIfPresent(PlaceName.self, forKey: .place), count, length) {
    case (nil, _, _): throw error(.missing("place"))
    case (.section, nil, nil): place = .section
    case (.content, nil, nil): place = .content
    case (.run, let count?, nil): place = .run(count: count)
    case (.separator, nil, let length?): place = .separator(length: length)
    case (.run, nil, _): throw error(.missing("count"))
    case (.separator, _, nil): throw error(.missing("length"))
    case (let other?, _, _):
      throw error(.conflict("place \(other.rawValue)", count == nil ? "length" : "count"))
    }
    self.init(
      kind: try values.decode(String.self, forKey: .kind), place: place,
      inset: try values.decodeIfPresent(ContainerInsets.self, forKey: .inset) ?? .zero,
      zIndex: try values.decodeWholeNumberIfPresent(forKey: .zIndex))
  }

  /// Encodes the object.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(kind, forKey: .kind)
    let name: PlaceName
    switch place {
    case .section: name = .section
    case .content: name = .content
    case .run(let count):
      name = .run
      try values.encode(count, forKey: .count)
    case .separator(let length):
      name = .separator
      try values.encode(length, forKey: .length)
    }
    try values.encode(name, forKey: .place)
    try values.encode(inset, forKey: .inset)
    try values.encode(zIndex, forKey: .zIndex)
  }
}

extension SectionOptions.Decorator: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable { case kind, options }

  /// Decodes an object with `kind` and `options`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    self.init(
      try values.decode(String.self, forKey: .kind),
      options: try values.decodeIfPresent([String: ConfigurationValue].self, forKey: .options)
        ?? [:])
  }

  /// Encodes the object.
  public func encode(to encoder: any Encoder) throws {
    try NamedRule(kind: kind, options: options).encode(to: encoder)
  }
}
