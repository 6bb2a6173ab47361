package import LayoutGeometry

/// A ``LayoutConfiguration`` after completion, validation against ``Limits``, and conversion to
/// canonical axes. Created once for each configuration.
package struct LayoutPlan: Sendable {
  /// The axes and the container.
  package let space: LayoutSpace
  /// The gap between two sections along the main axis.
  package let sectionSpacing: Length
  /// The effect of the visible rectangle on its cells; `nil` for none.
  package let effect: Effect?
  /// The positions at which scrolling rests.
  package let snap: LayoutConfiguration.Snap
  /// Whether the data of items affects the layout of some section.
  package let readsData: Bool
  /// The maximum extent of elements of custom kinds beyond their sections along the main axis.
  package let overhang: Length
  @usableFromInline let defaultSection: SectionPlan
  @usableFromInline let overrides: [ExactKey: SectionPlan]

  /// Validates and completes a configuration.
  ///
  /// - Parameter custom: The registered kinds of sections.
  /// - Throws: ``ConfigurationError`` naming the member and the limit.
  /// - Complexity: O(overridden sections + breakpoints).
  package init(
    _ configuration: LayoutConfiguration, custom: CustomKinds = .none
  ) throws(ConfigurationError) {
    let space = try Self.space(of: configuration)
    self.space = space
    sectionSpacing = try Self.checked(
      configuration.sectionSpacing, "sectionSpacing", from: .zero, at: [])
    try configuration.effect?.check(at: ["effect"])
    effect = configuration.effect
    snap = configuration.snap
    try configuration.checkBreakpoints()
    let applying = configuration.breakpoint(atCrossLength: space.crossLength)
    for (index, breakpoint) in configuration.breakpoints.enumerated() where index != applying {
      // Only its values are checked: this container need not have room for it.
      _ = try SectionPlan(
        breakpoint.options.filled(from: configuration.section), in: space.widest,
        custom: custom, at: ["breakpoints", "\(index)"])
    }
    let defaults = configuration.defaults(atCrossLength: space.crossLength)
    defaultSection = try SectionPlan(
      defaults, in: space, custom: custom,
      at: applying.map { ["breakpoints", "\($0)"] } ?? ["section"])
    var overrides: [ExactKey: SectionPlan] = [:]
    for (key, options) in configuration.sections {
      overrides[ExactKey(key)] = try SectionPlan(
        options.filled(from: defaults), in: space, custom: custom,
        at: ["sections", key])
    }
    self.overrides = overrides
    let kinds = ([defaultSection] + overrides.values).map(\.kind)
    readsData = kinds.contains(where: \.readsData)
    overhang = kinds.compactMap { $0.ownElements?.overhang }.max() ?? .zero
    if effect == .pageTurn { try checkPages() }
  }

  /// Checks that every section consists of pages, whatever its items, so that pages can turn.
  private func checkPages() throws(ConfigurationError) {
    for section in [defaultSection] + overrides.values {
      if case .computed(.grid(let grid)) = section.kind, grid.tracks.count == 1,
        grid.rowLength == space.container.height
      {
        continue
      }
      throw ConfigurationError(
        .malformed(
          detail: """
            'pageTurn' requires a grid of one column in every section, with a rowLength of \
            \(space.container.height), the container's length
            """), at: ["effect"])
    }
  }

  /// Returns the plan of the section with a key.
  @inlinable
  package func section(_ key: String) -> SectionPlan {
    overrides.isEmpty ? defaultSection : overrides[ExactKey(key)] ?? defaultSection
  }

  /// Whether some section's result depends on its history: its items' columns do not follow
  /// from the current items.
  package var hasHistory: Bool {
    ([defaultSection] + overrides.values).contains { $0.kind.isHistory }
  }

  /// The sections whose layout depends on the container's length along the main axis.
  package var sectionsOfContainerLength: SectionsOfContainerLength {
    if defaultSection.kind.dependsOnContainerLength { return .anyOthers }
    let keys = overrides.filter { $0.value.kind.dependsOnContainerLength }.map(\.key.string)
    return .only(keys: keys)
  }

  /// A set of sections.
  package enum SectionsOfContainerLength {
    /// All sections without an override, and possibly some with one.
    case anyOthers
    /// The existing sections among the keys.
    case only(keys: [String])
  }

  /// Whether sections of both plans with equal options are laid out alike.
  package func isComparable(with other: LayoutPlan) -> Bool {
    space.scrollAxis == other.space.scrollAxis && space.crossLength == other.space.crossLength
  }

  private static func space(
    of configuration: LayoutConfiguration
  ) throws(ConfigurationError) -> LayoutSpace {
    let container = configuration.container
    let isVertical = configuration.scrollDirection == .vertical
    let (crossName, mainName) = isVertical ? ("width", "height") : ("height", "width")
    guard let cross = isVertical ? container.width : container.height else {
      throw ConfigurationError(.missing(crossName), at: ["container"])
    }
    let main = (isVertical ? container.height : container.width) ?? cross
    return LayoutSpace(
      scrollAxis: configuration.scrollDirection,
      isMirrored: configuration.layoutDirection == .rightToLeft,
      container: Size(
        width: try checked(cross, crossName, from: Limits.trackMin, at: ["container"]),
        height: try checked(main, mainName, from: Limits.trackMin, at: ["container"])))
  }

  /// Returns a length after checking it against a range that ends at ``Limits/sideMax``.
  static func checked(
    _ length: Length, _ name: String, from least: Length, at path: [String]
  ) throws(ConfigurationError) -> Length {
    try ConfigurationError.limit(
      at: path, Limits.check(length, in: least...Limits.sideMax, as: LimitError.Subject(name)))
    return length
  }
}
