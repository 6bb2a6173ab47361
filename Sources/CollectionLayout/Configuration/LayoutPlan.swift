package import LayoutGeometry

/// The values that follow from a ``LayoutConfiguration``: complete, checked against
/// ``Limits``, and in canonical axes. Made once for each configuration.
package struct LayoutPlan: Sendable {
  /// The axes and the container.
  package let space: LayoutSpace
  /// The gap between two sections along the main axis.
  package let sectionSpacing: Length
  /// The effect of the visible rectangle on its cells; `nil` for none.
  package let effect: Effect?
  /// Where scrolling comes to rest.
  package let snap: LayoutConfiguration.Snap
  /// Whether what items carry places them in some section.
  package let readsData: Bool
  /// How far elements of custom kinds may reach beyond their sections along the main axis.
  package let overhang: Length
  @usableFromInline let defaultSection: SectionPlan
  @usableFromInline let overrides: [ExactKey: SectionPlan]

  /// Checks and completes a configuration.
  ///
  /// - Parameter custom: The kinds that sections may have besides those built in.
  /// - Throws: ``ConfigurationError`` naming the member and the limit.
  /// - Complexity: O(overridden sections).
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
    defaultSection = try SectionPlan(
      configuration.section, in: space, custom: custom, at: ["section"])
    var overrides: [ExactKey: SectionPlan] = [:]
    for (key, options) in configuration.sections {
      overrides[ExactKey(key)] = try SectionPlan(
        options.filled(from: configuration.section), in: space, custom: custom,
        at: ["sections", key])
    }
    self.overrides = overrides
    let kinds = ([defaultSection] + overrides.values).map(\.kind)
    readsData = kinds.contains(where: \.readsData)
    overhang = kinds.compactMap { $0.ownElements?.overhang }.max() ?? .zero
    if effect == .pageTurn { try checkPages() }
  }

  /// A page can turn if each section, whatever its items, is made of pages.
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
            'pageTurn' needs a grid of one column in every section, with the container's length, \
            \(space.container.height), as its rowLength
            """), at: ["effect"])
    }
  }

  /// The plan of the section with a key.
  @inlinable
  package func section(_ key: String) -> SectionPlan {
    overrides.isEmpty ? defaultSection : overrides[ExactKey(key)] ?? defaultSection
  }

  /// Whether some section's result is a history: its items' columns do not follow from
  /// the items as they are.
  package var hasHistory: Bool {
    ([defaultSection] + overrides.values).contains { $0.kind.isHistory }
  }

  /// The sections whose places depend on the container's length along the main axis.
  package var sectionsOfContainerLength: SectionsOfContainerLength {
    if defaultSection.kind.dependsOnContainerLength { return .anyOthers }
    let keys = overrides.filter { $0.value.kind.dependsOnContainerLength }.map(\.key.string)
    return .only(keys: keys)
  }

  /// Which sections those are.
  package enum SectionsOfContainerLength {
    /// All that the configuration does not name, and perhaps some that it does.
    case anyOthers
    /// Those of them that there are.
    case only(keys: [String])
  }

  /// Whether sections of both plans whose own options agree are laid out alike.
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

  /// A length held to a range of which the upper end is ``Limits/sideMax``.
  static func checked(
    _ length: Length, _ name: String, from least: Length, at path: [String]
  ) throws(ConfigurationError) -> Length {
    try ConfigurationError.limit(
      at: path, Limits.check(length, in: least...Limits.sideMax, as: LimitError.Subject(name)))
    return length
  }
}
