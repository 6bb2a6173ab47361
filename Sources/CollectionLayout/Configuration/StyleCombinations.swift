import LayoutGeometry
import Synchronization

/// The plans of sections that have both a style and an override by key.
///
/// Any section can have any style, so the plans are created when they are first needed, and
/// then retained: a configuration with 20,000 overrides and 12 styles needs few of the 240,000.
/// An override that cannot be combined with a style has no plan here: it applies without the
/// style. So a style that an update assigns never invalidates a configuration.
final class StyleCombinations: Sendable {
  private struct Names: Hashable {
    let key: ExactKey
    let style: ExactKey
  }

  private let configuration: LayoutConfiguration
  private let space: LayoutSpace
  private let custom: CustomKinds
  private let plans = Mutex<[Names: SectionPlan?]>([:])

  /// - Precondition: Every style and every override is valid without the others.
  init(_ configuration: LayoutConfiguration, in space: LayoutSpace, custom: CustomKinds) {
    (self.configuration, self.space, self.custom) = (configuration, space, custom)
  }

  /// Returns the plan of a section with a style and an override.
  ///
  /// - Returns: `nil` if the two cannot be combined.
  func plan(ofSection key: String, style: String) -> SectionPlan? {
    let names = Names(key: ExactKey(key), style: ExactKey(style))
    if let known = plans.withLock({ $0[names] }) { return known }
    var plan: SectionPlan?
    if let override = configuration.sections[names.key],
      let style = configuration.styles[names.style]
    {
      let options = override.filled(from: style.filled(from: configuration.defaults))
      plan = configuration.combinedPlan(options, in: space, custom: custom)
    }
    plans.withLock { $0[names] = .some(plan) }
    return plan
  }
}

// MARK: - Properties of all combinations

extension StyleCombinations {
  /// The members of an override that determine its kind.
  private struct KindMembers: Hashable {
    let kind: SectionKind?
    let assignment: SectionOptions.Assignment?
  }

  /// Whether some combination may be a stable waterfall.
  var haveStableWaterfalls: Bool {
    if configuration.styles.isEmpty || configuration.sections.isEmpty { return false }
    let defaults = configuration.defaults
    let overrides = Set(
      configuration.sections.values.map { KindMembers(kind: $0.kind, assignment: $0.assignment) })
    return configuration.styles.values.contains { style in
      overrides.contains { override in
        let kind = override.kind ?? style.kind ?? defaults.kind ?? SectionOptions.kindDefault
        let assignment = override.assignment ?? style.assignment ?? defaults.assignment
        return kind == .waterfall && assignment ?? .stable == .stable
      }
    }
  }

  /// Returns the plans of the combinations with custom rules.
  ///
  /// - Complexity: O(styles · distinct overrides) if there are custom rules; otherwise O(styles +
  ///   overrides).
  func customPlans() -> [SectionPlan] {
    func isCustom(_ options: SectionOptions) -> Bool { options.isCustom }
    let (styles, overrides) = (configuration.styles.values, configuration.sections.values)
    guard !styles.isEmpty, !overrides.isEmpty,
      isCustom(configuration.defaults) || styles.contains(where: isCustom)
        || overrides.contains(where: isCustom)
    else { return [] }
    let distinct = Set(overrides)
    return styles.flatMap { style in
      distinct.compactMap { override in
        let options = override.filled(from: style.filled(from: configuration.defaults))
        return isCustom(options)
          ? configuration.combinedPlan(options, in: space, custom: custom) : nil
      }
    }
  }
}

extension SectionPlan {
  /// Whether the section consists of container-sized pages, whatever its items.
  func isPages(of space: LayoutSpace) -> Bool {
    guard case .computed(.grid(let grid)) = kind else { return false }
    return grid.tracks.count == 1 && grid.rowLength == space.container.height
  }
}
