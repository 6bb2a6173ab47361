import LayoutGeometry

extension WaterfallPlan {
  /// Checks and completes the members that a waterfall reads.
  init(
    _ options: SectionOptions, inset: EdgeInsets, _ checks: OptionChecks
  ) throws(ConfigurationError) {
    let unit = OptionChecks.unit
    let minimumLength =
      try checks.length(options.minimumLength, "minimumLength", from: unit) ?? unit
    let maximumLength =
      try checks.length(options.maximumLength, "maximumLength", from: unit)
      ?? Length(units: .max)
    if minimumLength > maximumLength {
      throw ConfigurationError(
        .emptyRange(minimum: minimumLength, maximum: maximumLength), at: checks.path)
    }
    var itemLength = options.itemLength ?? .aspect
    if case .fixed(let length) = itemLength {
      itemLength = .fixed(try checks.length(length, "itemLength", from: unit) ?? unit)
    }
    self.init(
      tracks: try checks.tracks(options, inset: inset),
      lineSpacing: try checks.length(options.lineSpacing, "lineSpacing") ?? .zero,
      itemLength: itemLength, minimumLength: minimumLength, maximumLength: maximumLength,
      tolerance: try checks.length(options.tolerance, "tolerance") ?? .zero,
      ties: options.ties ?? .leading,
      assignment: options.assignment ?? .stable,
      maximumSkew: try checks.length(options.maximumSkew, "maximumSkew")
        ?? checks.space.container.height * 2)
  }
}
