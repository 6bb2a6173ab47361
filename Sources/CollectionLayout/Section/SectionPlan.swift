package import LayoutGeometry

/// A section's configuration, complete, checked, and in canonical axes.
package struct SectionPlan: Sendable {
  /// The algorithm that places the items, with its own metrics: one case for each
  /// way of keeping what was placed.
  package enum Kind: Sendable {
    /// Items in columns, each where the columns' next positions let it start.
    case waterfall(WaterfallPlan)
    /// Items in lines, one line after the other.
    case lines(LinePlan)
    /// Places that follow from the index; nothing is kept.
    case computed(ComputedPlan)
    /// Items one after the other, by a user's rule.
    case custom(CustomPlan)
  }

  /// How the items are placed.
  package var kind: Kind
  /// The insets of the items: top and bottom along the main axis.
  package var inset: EdgeInsets
  /// The header's length along the main axis; 0 for none.
  package var header: Length
  /// The footer's length along the main axis; 0 for none.
  package var footer: Length
  /// Whether the header stays in sight while its section is.
  package var pinsHeader: Bool
  /// Whether the footer stays in sight while its section is.
  package var pinsFooter: Bool
  /// The background, its inset in canonical axes.
  package var background: SectionOptions.Background?

  /// The order of an element of the section among overlapping ones, effects aside.
  /// Headers and footers that pin have theirs wherever they are, displaced or not.
  package func zIndex(of category: LayoutAttributes.Category) -> Int {
    switch category {
    case .cell: 0
    case .supplementary(let kind):
      kind == .header && pinsHeader || kind == .footer && pinsFooter
        ? LayoutAttributes.pinnedZIndex : 0
    case .decoration: background?.zIndex ?? 0
    }
  }

  /// The section's length with no content.
  @inlinable
  package var fixedLength: Length { header + inset.top + inset.bottom + footer }
}

extension SectionPlan.Kind {
  /// Whether a length that was measured for an item counts; as
  /// ``SectionOptions/takesPreferredLengths`` says of the options.
  package var takesPreferredLengths: Bool {
    switch self {
    case .waterfall, .custom: true
    case .lines(.flow(let plan)): plan.takesPreferredLengths
    case .lines(.justified), .computed: false
    }
  }

  /// Whether one across counts next to it.
  package var takesPreferredCrossLengths: Bool {
    if case .waterfall = self { false } else { takesPreferredLengths }
  }

  /// How many columns items may be in; 0 for kinds without.
  package var columnCount: Int {
    switch self {
    case .waterfall(let plan): plan.tracks.count
    case .computed(.grid(let plan)): plan.tracks.count
    case .computed(.circle), .lines, .custom: 0
    }
  }

  /// Whether items are where they do because of what was there when they came.
  package var isHistory: Bool {
    guard case .waterfall(let plan) = self else { return false }
    return plan.assignment == .stable
  }

  /// Whether places depend on the container's length along the main axis. What a custom kind
  /// makes of it nobody knows.
  package var dependsOnContainerLength: Bool {
    switch self {
    case .computed(.circle), .custom: true
    case .computed(.grid), .waterfall, .lines: false
    }
  }

  /// The kind's own elements besides its cells.
  package var ownElements: OwnElements? {
    guard case .custom(let plan) = self else { return nil }
    return plan.own
  }

  /// Whether what items carry places them.
  package var readsData: Bool {
    guard case .custom(let plan) = self else { return false }
    return plan.reads.contains(.data)
  }

  /// How far the section's columns may differ before it is evened out; `nil` for those
  /// that never are.
  package var maximumSkew: Length? {
    guard case .waterfall(let plan) = self, isHistory else { return nil }
    return plan.maximumSkew
  }

  /// Whether both place the same items in the same places: what is kept of a section
  /// laid out by the one is a result of the other.
  package func places(as other: SectionPlan.Kind) -> Bool {
    switch (self, other) {
    case (.waterfall(let mine), .waterfall(var other)):
      // It says when items are placed again, and not where.
      other.maximumSkew = mine.maximumSkew
      return mine == other
    case (.lines(let mine), .lines(let other)): return mine == other
    case (.computed(let mine), .computed(let other)): return mine == other
    case (.custom(let mine), .custom(let other)): return mine.places(as: other)
    default: return false
    }
  }
}
