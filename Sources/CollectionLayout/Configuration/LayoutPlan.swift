package import LayoutGeometry

/// A ``LayoutConfiguration`` after completion, validation against ``Limits``, and conversion to
/// canonical axes. Created once for each configuration.
package struct LayoutPlan: Sendable {
  package let configuration: LayoutConfiguration
  /// The axes and the container. Its direction is that of answers: no result depends on it.
  package private(set) var space: LayoutSpace
  /// The header, footer and background of the whole layout.
  package var frame: LayoutFrame
  /// The gap between two sections along the main axis.
  package let sectionSpacing: Length
  /// The effect of the visible rectangle on its cells; `nil` for none.
  package let effect: EffectPlan?
  /// The different effects of the layout and its sections.
  package let effects: [EffectPlan]
  /// The positions at which scrolling rests.
  package let snap: SnapPlan
  /// Whether the data of items affects the elements of some section.
  package let readsData: Bool
  /// The maximum extent of additional elements beyond their sections along the main axis.
  package let overhang: Length
  /// Whether some section's result may depend on its history: its items' columns do not follow
  /// from the current items.
  package let hasHistory: Bool
  @usableFromInline let defaultSection: SectionPlan
  @usableFromInline let styles: [ExactKey: SectionPlan]
  @usableFromInline let overrides: [ExactKey: SectionPlan]
  /// The plans of sections with both a style and an override.
  private let combinations: StyleCombinations

  /// Validates and completes a configuration.
  ///
  /// - Parameter custom: The registered kinds of sections.
  /// - Throws: ``ConfigurationError`` naming the member and the limit.
  /// - Complexity: O(styles + overridden sections + breakpoints); with custom kinds or decorators in
  ///   styles or overrides, O(styles · overridden sections).
  package init(
    _ configuration: LayoutConfiguration, custom: CustomKinds = .none
  ) throws(ConfigurationError) {
    let space = try Self.space(of: configuration)
    self.configuration = configuration
    self.space = space
    frame = try LayoutFrame(configuration, in: space)
    sectionSpacing = try Self.checked(
      configuration.sectionSpacing.resolved(in: space, at: ["sectionSpacing"]), "sectionSpacing",
      from: .zero, at: [])
    effect = try Self.effect(of: configuration, custom)
    snap = try SnapPlan(configuration.snap, custom)
    try configuration.checkBreakpoints()
    let applying = configuration.breakpoint(atCrossLength: space.crossLength)
    for (index, breakpoint) in configuration.breakpoints.enumerated() where index != applying {
      // Only its values are checked: this container need not have room for it.
      _ = try SectionPlan(
        breakpoint.options.filled(from: configuration.section), in: space.widest,
        hasRoom: false, custom: custom, at: ["breakpoints", "\(index)"])
    }
    let defaults = configuration.defaults(atCrossLength: space.crossLength)
    defaultSection = try SectionPlan(
      defaults, in: space, custom: custom,
      at: applying.map { ["breakpoints", "\($0)"] } ?? ["section"])
    var styles: [ExactKey: SectionPlan] = [:]
    for (name, options) in configuration.styles {
      try ConfigurationError.limit(
        at: ["styles"], Limits.check(name: name.string, as: "style name"))
      styles[name] = try SectionPlan(
        options.filled(from: defaults), in: space, custom: custom, at: ["styles", name.string])
    }
    self.styles = styles
    var overrides: [ExactKey: SectionPlan] = [:]
    // Thousands of overrides usually have few different options.
    var known: [SectionOptions: SectionPlan] = [:]
    for (key, options) in configuration.sections {
      let plan: SectionPlan
      if let same = known[options] {
        plan = same
      } else {
        plan = try SectionPlan(
          options.filled(from: defaults), in: space, custom: custom, at: ["sections", key.string])
        known[options] = plan
      }
      overrides[key] = plan
    }
    self.overrides = overrides
    combinations = StyleCombinations(configuration, in: space, custom: custom)
    let plans = [defaultSection] + styles.values + overrides.values + combinations.customPlans()
    readsData = plans.contains(where: \.readsData)
    overhang = plans.compactMap(\.own?.overhang).max() ?? .zero
    hasHistory = plans.contains(where: \.kind.isHistory) || combinations.haveStableWaterfalls
    var effects = effect.map { [$0] } ?? []
    for case let own? in ([defaultSection] + styles.values + overrides.values).map(\.effect)
    where own.effect != .off && !effects.contains(own) {
      effects.append(own)
    }
    self.effects = effects
    if effect?.effect == .pageTurn { try checkPages() }
  }

  /// Returns the plan for answers in a direction.
  ///
  /// - Parameter direction: The direction; `nil` for that of the configuration.
  package func reading(_ direction: LayoutConfiguration.LayoutDirection?) -> LayoutPlan {
    var plan = self
    plan.space = space.reading(direction ?? configuration.layoutDirection)
    return plan
  }

  private static func effect(
    of configuration: LayoutConfiguration, _ custom: CustomKinds
  ) throws(ConfigurationError) -> EffectPlan? {
    guard let effect = configuration.effect, effect != .off else { return nil }
    return try EffectPlan(effect, custom, isOfLayout: true, at: ["effect"])
  }

  /// Checks that every section consists of pages, whatever its items, so that pages can turn.
  private func checkPages() throws(ConfigurationError) {
    for section in [defaultSection] + styles.values + overrides.values {
      if section.isPages(of: space) { continue }
      throw ConfigurationError(
        .malformed(
          detail: """
            'pageTurn' requires a grid of one column in every section, with a rowLength of \
            \(space.container.height), the container's length
            """), at: ["effect"])
    }
  }

  /// Whether the plan has styles. Without them, the style of a section does not matter.
  @inlinable package var hasStyles: Bool { !styles.isEmpty }

  /// Returns the plan of the section with a key.
  ///
  /// - Parameter style: The section's style, if any; a style without an entry is ignored.
  /// - Complexity: O(1).
  @inlinable
  package func section(_ key: String, style: String?) -> SectionPlan {
    if let style, !styles.isEmpty, let styled = styles[ExactKey(style)] {
      return section(key, style, styled: styled)
    }
    return overrides.isEmpty ? defaultSection : overrides[ExactKey(key)] ?? defaultSection
  }

  /// - Parameter styled: The plan of sections of the style without an override.
  @usableFromInline
  func section(_ key: String, _ style: String, styled: SectionPlan) -> SectionPlan {
    guard let override = overrides[ExactKey(key)] else { return styled }
    return combinations.plan(ofSection: key, style: style) ?? override
  }

  /// The sections whose layout depends on the container's length along the main axis.
  package var sectionsOfContainerLength: SectionsOfContainerLength {
    if defaultSection.dependsOnContainerLength { return .anyOthers }
    if styles.values.contains(where: \.dependsOnContainerLength) { return .styled }
    let dependent = overrides.filter(\.value.dependsOnContainerLength)
    if hasStyles, !dependent.isEmpty { return .styled }
    return .only(keys: dependent.map(\.key.string))
  }

  /// A set of sections.
  package enum SectionsOfContainerLength {
    /// All sections without an override, and possibly some with one.
    case anyOthers
    /// Some of the sections with a style or an override, and no others.
    case styled
    /// The existing sections among the keys.
    case only(keys: [String])
  }

  /// Whether sections of both plans with equal options are laid out alike.
  package func isComparable(with other: LayoutPlan) -> Bool {
    space.scrollAxis == other.space.scrollAxis && space.crossLength == other.space.crossLength
  }

  /// Returns the keys of the overrides in which two plans differ; `nil` if they differ in
  /// anything else.
  ///
  /// - Complexity: O(overrides).
  package func changedOverrides(from other: LayoutPlan) -> [String]? {
    var (mine, its) = (configuration, other.configuration)
    (mine.sections, its.sections) = ([:], [:])
    guard mine == its else { return nil }
    var changed: [String] = []
    for (key, options) in configuration.sections
    where other.configuration.sections[key] != options {
      changed.append(key.string)
    }
    for key in other.configuration.sections.keys
    where configuration.sections[key] == nil {
      changed.append(key.string)
    }
    return changed
  }

  static func space(
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
