import LayoutGeometry

extension SectionPlan {
  /// Checks and completes a section's options.
  ///
  /// - Parameters:
  ///   - options: The options, already merged with the configuration's defaults.
  ///   - custom: The kinds registered by the library's user.
  ///   - path: The path of the options, for errors.
  init(
    _ options: SectionOptions, in space: LayoutSpace, custom: CustomKinds, at path: [String]
  ) throws(ConfigurationError) {
    let checks = OptionChecks(space: space, path: path)
    let inset = try checks.insets(options.inset, "inset")
    var background = options.background
    if let given = background {
      try ConfigurationError.limit(
        at: path + ["background"], Limits.check(name: given.kind, as: "background kind"))
      background?.inset = try checks.insets(given.inset, "background inset")
    }
    self.init(
      kind: try Kind(options, inset: inset, checks, custom: custom),
      inset: inset,
      header: try checks.length(options.header, "header") ?? .zero,
      footer: try checks.length(options.footer, "footer") ?? .zero,
      pinsHeader: options.pinsHeader ?? false,
      pinsFooter: options.pinsFooter ?? false,
      background: background)
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
