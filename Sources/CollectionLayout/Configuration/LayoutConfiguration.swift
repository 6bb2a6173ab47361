public import LayoutGeometry

/// The rules by which a layout positions its dataset: the container, the axes, and the options
/// of each section. One JSON object; unknown members are rejected.
///
/// The value is as the user wrote it. It is validated when a layout is set to it.
public struct LayoutConfiguration: Hashable, Sendable, Codable {
  /// The container's size in points. The length along the main axis defaults to the length across.
  public struct Container: Hashable, Sendable, Codable {
    /// The width; required if the layout scrolls vertically, unless it has ``widths``.
    public var width: Length?
    /// The height; required if the layout scrolls horizontally, unless it has ``heights``.
    public var height: Length?
    /// Instead of ``width``, for a vertical layout that fits any width.
    public var widths: Sizes?
    /// Instead of ``height``, for a horizontal layout that fits any height.
    public var heights: Sizes?

    /// Creates a container; `nil` omits a member.
    public init(width: Length?, height: Length?) {
      self.width = width
      self.height = height
    }

    /// Creates the container of a vertical layout that fits any width.
    public init(widths: Sizes, height: Length? = nil) {
      self.widths = widths
      self.height = height
    }

    /// Creates the container of a horizontal layout that fits any height.
    public init(heights: Sizes, width: Length? = nil) {
      self.heights = heights
      self.width = width
    }

    enum CodingKeys: String, CodingKey, CaseIterable { case width, height, widths, heights }
  }

  /// The direction in which x grows for a reader: `rightToLeft` mirrors every frame in the content.
  public enum LayoutDirection: String, Hashable, Sendable, Codable, CaseIterable {
    case leftToRight
    case rightToLeft
  }

  /// The header or the footer of the whole layout.
  public struct Boundary: Hashable, Sendable, Codable {
    /// The length along the main axis; 0 for none.
    public var length: ContainerLength
    /// Whether the element stays in the visible bounds.
    public var pins: Bool

    /// Creates a header or footer.
    public init(length: ContainerLength, pins: Bool = false) {
      self.length = length
      self.pins = pins
    }
  }

  /// The size that the sections are laid out in.
  public var container: Container
  /// The axis that scrolls.
  public var scrollDirection: Axis
  /// The direction in which lines are read.
  public var layoutDirection: LayoutDirection
  /// The element before the first section, of the kind `layoutHeader`; `nil` for none.
  public var header: Boundary?
  /// The element after the last section, of the kind `layoutFooter`; `nil` for none.
  public var footer: Boundary?
  /// A decoration under the whole content, less its inset; `nil` for none.
  public var background: SectionOptions.Background?
  /// The defaults of every section.
  public var section: SectionOptions
  /// The options that override the defaults in wider containers, by ascending cross length.
  public var breakpoints: [Breakpoint]
  /// The overrides of the defaults for sections of a style, by the style's name. A section's
  /// style is part of its dataset; one without an entry here has no effect.
  public var styles: [ExactKey: SectionOptions]
  /// The overrides of the defaults and of the section's style, by section key. An override that
  /// cannot be combined with a style applies to the defaults, without the style.
  public var sections: [ExactKey: SectionOptions]
  /// The gap between two sections along the main axis.
  public var sectionSpacing: ContainerLength
  /// The effect of the visible rectangle on its cells; `nil` for none.
  public var effect: Effect?
  /// The positions at which scrolling rests.
  public var snap: Snap
  /// Whether measured lengths of the layout are retained when the container's length across the
  /// main axis, or the axis itself, changes. Otherwise they are dropped, because they were
  /// measured at the old one.
  public var keepsMeasuredLengths: Bool

  /// Creates a configuration, which is validated when a layout is set to it.
  public init(
    container: Container, scrollDirection: Axis = .vertical,
    layoutDirection: LayoutDirection = .leftToRight, header: Boundary? = nil,
    footer: Boundary? = nil, background: SectionOptions.Background? = nil, section: SectionOptions,
    breakpoints: [Breakpoint] = [], styles: [ExactKey: SectionOptions] = [:],
    sections: [ExactKey: SectionOptions] = [:], sectionSpacing: ContainerLength = 0,
    effect: Effect? = nil, snap: Snap = .none, keepsMeasuredLengths: Bool = false
  ) {
    (self.container, self.scrollDirection) = (container, scrollDirection)
    (self.layoutDirection, self.section, self.breakpoints) = (layoutDirection, section, breakpoints)
    (self.header, self.footer, self.background) = (header, footer, background)
    (self.styles, self.sections, self.sectionSpacing) = (styles, sections, sectionSpacing)
    (self.effect, self.snap, self.keepsMeasuredLengths) = (effect, snap, keepsMeasuredLengths)
  }
}

extension LayoutConfiguration {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case container, scrollDirection, layoutDirection, header, footer, background
    case section, breakpoints, styles, sections
    case sectionSpacing, effect, snap, keepsMeasuredLengths
  }

  /// Decodes a configuration; missing members have their defaults.
  ///
  /// - Throws: ``ConfigurationError`` for an unknown or a missing member, `DecodingError` for
  ///   one of another type.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    guard values.contains(.container) else { throw ConfigurationError(.missing("container")) }
    _ = try values.superDecoder(forKey: .container)
      .strictContainer(keyedBy: Container.CodingKeys.self)
    self.init(
      container: try values.decode(Container.self, forKey: .container),
      scrollDirection: try values.decodeChoiceIfPresent(Axis.self, forKey: .scrollDirection)
        ?? .vertical,
      layoutDirection: try values.decodeChoiceIfPresent(
        LayoutDirection.self, forKey: .layoutDirection)
        ?? .leftToRight,
      header: try values.decodeIfPresent(Boundary.self, forKey: .header),
      footer: try values.decodeIfPresent(Boundary.self, forKey: .footer),
      background: try values.decodeIfPresent(SectionOptions.Background.self, forKey: .background),
      section: try values.decodeIfPresent(SectionOptions.self, forKey: .section)
        ?? SectionOptions(),
      breakpoints: try values.decodeIfPresent([Breakpoint].self, forKey: .breakpoints) ?? [],
      styles: try values.decodeIfPresent([ExactKey: SectionOptions].self, forKey: .styles) ?? [:],
      sections: try values.decodeIfPresent([ExactKey: SectionOptions].self, forKey: .sections)
        ?? [:],
      sectionSpacing: try values.decodeIfPresent(ContainerLength.self, forKey: .sectionSpacing)
        ?? 0,
      effect: try values.decodeIfPresent(Effect.self, forKey: .effect),
      snap: try values.decodeIfPresent(Snap.self, forKey: .snap) ?? .none,
      keepsMeasuredLengths: try values.decodeIfPresent(Bool.self, forKey: .keepsMeasuredLengths)
        ?? false)
  }

  /// Encodes a configuration, omitting `breakpoints`, `styles` and `keepsMeasuredLengths` if
  /// they have their defaults.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(container, forKey: .container)
    try values.encode(scrollDirection, forKey: .scrollDirection)
    try values.encode(layoutDirection, forKey: .layoutDirection)
    try values.encodeIfPresent(header, forKey: .header)
    try values.encodeIfPresent(footer, forKey: .footer)
    try values.encodeIfPresent(background, forKey: .background)
    try values.encode(section, forKey: .section)
    if !breakpoints.isEmpty { try values.encode(breakpoints, forKey: .breakpoints) }
    if !styles.isEmpty { try values.encode(styles, forKey: .styles) }
    try values.encode(sections, forKey: .sections)
    try values.encode(sectionSpacing, forKey: .sectionSpacing)
    try values.encodeIfPresent(effect, forKey: .effect)
    try values.encode(snap, forKey: .snap)
    if keepsMeasuredLengths { try values.encode(true, forKey: .keepsMeasuredLengths) }
  }
}

extension LayoutConfiguration.Boundary {
  enum CodingKeys: String, CodingKey, CaseIterable { case length, pins }

  /// Decodes the length, and whether the element pins.
  ///
  /// - Throws: ``ConfigurationError`` for an unknown or a missing member.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    guard values.contains(.length) else {
      throw ConfigurationError(.missing("length"), at: decoder.codingPath.map(\.stringValue))
    }
    self.init(
      length: try values.decode(ContainerLength.self, forKey: .length),
      pins: try values.decodeIfPresent(Bool.self, forKey: .pins) ?? false)
  }
}
