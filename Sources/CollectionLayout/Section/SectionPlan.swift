package import LayoutGeometry

/// A section's options after completion, validation, and conversion to canonical axes.
package struct SectionPlan: Sendable {
  /// The algorithm that places the items, with its metrics: one case for each form of stored
  /// results.
  package enum Kind: Sendable {
    /// Items in columns, each at the columns' next positions.
    case waterfall(WaterfallPlan)
    /// Items in lines, one line after the other.
    case lines(LinePlan)
    /// Positions that follow from the index; nothing is stored.
    case computed(ComputedPlan)
    /// Items in one line across the main axis, which scrolls independently.
    case carousel(CarouselPlan)
    /// Items one after another, by a user's rule.
    case custom(CustomPlan)
  }

  /// The algorithm that places the items.
  package var kind: Kind
  /// The insets of the items: top and bottom along the main axis.
  package var inset: EdgeInsets
  /// The header, the footer, and the other elements before and after the content.
  package var boundary: SectionBoundary
  /// The background, its inset as configured.
  package var background: SectionOptions.Background?
  /// The background's inset in canonical axes.
  package var backgroundInset: EdgeInsets

  /// How elements appear and disappear in transitions; `nil` for the kind's own way.
  package var appearance: AppearancePlan?
  /// The section's own effect, ``Effect/off`` for none; `nil` for the layout's.
  package var effect: EffectPlan?
  /// The additional elements of the section and its cells; `nil` for none.
  package var own: OwnElements?

  /// The kinds of the section's elements, those of its cells included.
  package var elementKinds: [CustomElement.Kind] {
    var kinds = boundary.elements.map { CustomElement.Kind.supplementary($0.kind) }
    if let background { kinds.append(.decoration(background.kind)) }
    if let own { kinds += own.kinds }
    return kinds
  }

  /// Whether the data of items affects the section's elements.
  package var readsData: Bool { kind.readsData || own?.readsData ?? false }

  /// Whether elements depend on the container's length along the main axis. Custom rules are
  /// assumed to depend on it.
  package var dependsOnContainerLength: Bool {
    kind.dependsOnContainerLength || own?.rules.isEmpty == false
  }

  /// The section's length without content.
  @inlinable
  package var fixedLength: Length {
    boundary.topLength + inset.top + inset.bottom + boundary.bottomLength
  }
}

extension SectionPlan.Kind {
  /// Whether measured lengths of items have an effect, as
  /// ``SectionOptions/takesPreferredLengths`` for the options.
  package var takesPreferredLengths: Bool {
    switch self {
    case .waterfall, .carousel, .custom: true
    case .lines(.flow(let plan)): plan.takesPreferredLengths
    case .lines(.justified), .computed: false
    }
  }

  /// Whether measured cross lengths have an effect, too.
  package var takesPreferredCrossLengths: Bool {
    switch self {
    case .waterfall: false
    case .carousel(let plan): plan.takesPreferredCrossLengths
    case .lines, .computed, .custom: takesPreferredLengths
    }
  }

  /// The number of columns; 0 for kinds without columns.
  package var columnCount: Int {
    switch self {
    case .waterfall(let plan): plan.tracks.count
    case .computed(.grid(let plan)): plan.tracks.count
    case .computed(.circle), .lines, .carousel, .custom: 0
    }
  }

  /// Whether positions depend on the history of changes.
  package var isHistory: Bool {
    guard case .waterfall(let plan) = self else { return false }
    return plan.assignment == .stable
  }

  /// Whether positions depend on the container's length along the main axis. Custom kinds are
  /// assumed to depend on it.
  fileprivate var dependsOnContainerLength: Bool {
    switch self {
    case .computed(.circle), .custom: true
    case .computed(.grid), .waterfall, .lines, .carousel: false
    }
  }

  /// The rule of a custom kind for additional elements.
  fileprivate var decorator: (any SectionDecorator)? {
    switch self {
    case .custom(let plan): plan.layout as? any SectionDecorator
    case .waterfall(let plan): plan.rule?.layout as? any SectionDecorator
    case .lines, .computed, .carousel: nil
    }
  }

  /// Whether the data of items affects their positions.
  package var readsData: Bool {
    guard case .custom(let plan) = self else { return false }
    return plan.reads.contains(.data)
  }

  /// The difference between columns at which the section is rebalanced; `nil` for kinds that
  /// never are.
  package var maximumSkew: Length? {
    guard case .waterfall(let plan) = self, isHistory else { return nil }
    return plan.maximumSkew
  }

  /// Returns whether both place the same items at the same positions, so that the stored
  /// results of one are valid for the other.
  package func places(as other: SectionPlan.Kind) -> Bool {
    switch (self, other) {
    case (.waterfall(let mine), .waterfall(var other)):
      // It determines when items are placed again, not where.
      other.maximumSkew = mine.maximumSkew
      return mine == other
    case (.lines(let mine), .lines(let other)): return mine == other
    case (.computed(let mine), .computed(let other)): return mine == other
    case (.carousel(let mine), .carousel(let other)): return mine.places(as: other)
    case (.custom(let mine), .custom(let other)): return mine.places(as: other)
    default: return false
    }
  }
}

extension SectionPlan {
  /// Checks and completes a section's options.
  ///
  /// - Parameters:
  ///   - options: The options, already merged with the configuration's defaults.
  ///   - hasRoom: Whether the container must have room for the section's elements.
  ///   - custom: The kinds registered by the library's user.
  ///   - path: The path of the options, for errors.
  init(
    _ options: SectionOptions, in space: LayoutSpace, hasRoom: Bool = true, custom: CustomKinds,
    at path: [String]
  ) throws(ConfigurationError) {
    let checks = OptionChecks(space: space, path: path, hasRoom: hasRoom)
    let inset = try checks.insets(options.inset, "inset")
    let kind = try Kind(options, inset: inset, checks, custom: custom)
    var names = KindNames()
    let own = try OwnElements(options, rule: kind.decorator, inset: inset, checks, custom, &names)
    self.init(
      kind: kind, inset: inset, boundary: try SectionBoundary(options, &names, checks),
      background: options.background,
      backgroundInset: try checks.background(options.background),
      appearance: try checks.appearance(options.appearance, custom),
      effect: try checks.effect(options.effect, custom),
      own: own)
  }
}

extension SectionPlan.Kind {
  fileprivate init(
    _ options: SectionOptions, inset: EdgeInsets, _ checks: OptionChecks, custom: CustomKinds
  ) throws(ConfigurationError) {
    switch options.kind ?? SectionOptions.kindDefault {
    case .waterfall: self = .waterfall(try WaterfallPlan(options, inset: inset, checks))
    case .flow: self = .lines(.flow(try FlowPlan(options, inset: inset, checks)))
    case .justified: self = .lines(.justified(try JustifiedPlan(options, inset: inset, checks)))
    case .grid: self = .computed(.grid(try GridPlan(options, inset: inset, checks)))
    case .carousel: self = .carousel(try CarouselPlan(options, inset: inset, checks))
    case .circle: self = .computed(.circle(try CirclePlan(options, checks)))
    case .custom(let name):
      self = try custom.plan(name, options, inset: inset, checks)
    }
  }
}
