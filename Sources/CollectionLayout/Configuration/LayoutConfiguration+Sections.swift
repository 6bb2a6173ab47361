import LayoutGeometry

extension LayoutConfiguration {
  /// Returns the options of a section: its override by key over its style over the defaults. An
  /// override that cannot be combined with the style applies without it; those with a custom
  /// kind or decorator count as combinable, because it may be unknown to this process.
  ///
  /// - Precondition: The configuration is valid.
  /// - Complexity: O(1).
  package func options(ofSection key: String, style: String?) -> SectionOptions {
    let override = sections[ExactKey(key)]
    guard let style = style.flatMap({ styles[ExactKey($0)] })?.filled(from: defaults) else {
      return override?.filled(from: defaults) ?? defaults
    }
    guard let override else { return style }
    let combined = override.filled(from: style)
    if combined.isCustom { return combined }
    guard let space = try? LayoutPlan.space(of: self),
      combinedPlan(combined, in: space, custom: .none) != nil
    else { return override.filled(from: defaults) }
    return combined
  }

  /// Returns the plan of a section whose override is combined with its style.
  ///
  /// - Returns: `nil` if the options contradict each other: the override applies without the
  ///   style then, so the error does not matter.
  func combinedPlan(
    _ options: SectionOptions, in space: LayoutSpace, custom: CustomKinds
  ) -> SectionPlan? {
    guard let plan = try? SectionPlan(options, in: space, custom: custom, at: []),
      effect != .pageTurn || plan.isPages(of: space)
    else { return nil }
    return plan
  }

  /// Returns the options of a section without a style.
  package func options(ofSection key: String) -> SectionOptions {
    options(ofSection: key, style: nil)
  }
}

extension LayoutConfiguration {
  /// Whether the layout has a header or footer whose length can be measured.
  package func has(_ kind: LayoutAttributes.SupplementaryKind) -> Bool {
    (kind == .layoutHeader ? header : footer)?.length ?? 0 != 0
  }
}

extension SectionOptions {
  /// Whether the section has a custom kind or decorators.
  var isCustom: Bool { if case .custom = kind { true } else { decorators?.isEmpty == false } }

  /// Whether measured lengths of items have an effect, as in kinds where each item has a length.
  package var takesPreferredLengths: Bool {
    switch kind ?? Self.kindDefault {
    case .waterfall, .carousel, .custom: return true
    case .flow:
      return (itemSize ?? .natural) == .natural
    case .grid, .justified, .circle: return false
    }
  }

  /// Whether measured cross lengths of items have an effect, as in kinds where each item has a
  /// width.
  package var takesPreferredCrossLengths: Bool {
    switch kind ?? Self.kindDefault {
    case .waterfall: return false
    case .carousel:
      switch itemWidth ?? .natural {
      case .natural, .aspect: return true
      case .fixed, .fraction, .containerFraction: return false
      }
    default: return takesPreferredLengths
    }
  }

  /// Whether there is a header or footer whose length can be measured.
  package func has(_ kind: LayoutAttributes.SupplementaryKind) -> Bool {
    switch kind {
    case .header: header ?? 0 != 0
    case .footer: footer ?? 0 != 0
    default: false
    }
  }
}
