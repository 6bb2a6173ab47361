import LayoutGeometry

extension SectionPlan {
  /// Checks and completes a section's options.
  ///
  /// - Parameters:
  ///   - options: The options, already filled from the configuration's defaults.
  ///   - path: Where the options stand, for errors.
  init(
    _ options: SectionOptions, in space: LayoutSpace, at path: [String]
  ) throws(ConfigurationError) {
    func checked(
      _ length: Length?, _ name: String, from least: Length = .zero
    ) throws(ConfigurationError) -> Length? {
      guard let length else { return nil }
      return try LayoutPlan.checked(length, name, from: least, at: path)
    }
    func checked(
      _ insets: EdgeInsets?, _ name: String
    ) throws(ConfigurationError) -> EdgeInsets {
      let insets = insets ?? .zero
      for (side, length) in [
        ("top", insets.top), ("left", insets.left), ("bottom", insets.bottom),
        ("right", insets.right),
      ] {
        _ = try LayoutPlan.checked(length, side, from: .zero, at: path + [name])
      }
      return space.scrollAxis == .vertical ? insets : insets.transposed
    }

    let inset = try checked(options.inset, "inset")
    var background = options.background
    if let given = background {
      do {
        try Limits.check(name: given.kind, as: "background kind")
      } catch {
        throw ConfigurationError(.limit(error), at: path + ["background"])
      }
      background?.inset = try checked(given.inset, "background inset")
    }
    let columnSpacing = try checked(options.columnSpacing, "columnSpacing") ?? .zero
    let unit = Length(units: 1)
    let unbounded = Length(units: .max)
    let minimumLength = try checked(options.minimumLength, "minimumLength", from: unit) ?? unit
    let maximumLength =
      try checked(options.maximumLength, "maximumLength", from: unit) ?? unbounded
    if minimumLength > maximumLength {
      throw ConfigurationError(
        .emptyRange(minimum: minimumLength, maximum: maximumLength), at: path)
    }
    var itemLength = options.itemLength ?? .aspect
    if case .fixed(let length) = itemLength {
      itemLength = .fixed(try checked(length, "itemLength", from: unit) ?? unit)
    }
    self.init(
      kind: .waterfall(
        WaterfallPlan(
          tracks: try Self.tracks(
            options, spacing: columnSpacing, inset: inset, in: space, at: path),
          lineSpacing: try checked(options.lineSpacing, "lineSpacing") ?? .zero,
          itemLength: itemLength, minimumLength: minimumLength, maximumLength: maximumLength,
          tolerance: try checked(options.tolerance, "tolerance") ?? .zero,
          ties: options.ties ?? .leading,
          assignment: options.assignment ?? .stable,
          maximumSkew: try checked(options.maximumSkew, "maximumSkew")
            ?? space.container.height * 2)),
      inset: inset,
      header: try checked(options.header, "header") ?? .zero,
      footer: try checked(options.footer, "footer") ?? .zero,
      pinsHeader: options.pinsHeader ?? false,
      pinsFooter: options.pinsFooter ?? false,
      background: background)
  }

  private static func tracks(
    _ options: SectionOptions, spacing: Length, inset: EdgeInsets, in space: LayoutSpace,
    at path: [String]
  ) throws(ConfigurationError) -> ColumnTracks {
    if options.columns != nil && options.minimumColumnWidth != nil {
      throw ConfigurationError(.conflict("columns", "minimumColumnWidth"), at: path)
    }
    var count = options.columns ?? SectionOptions.columnsDefault
    do {
      try Limits.check(count: count, in: 1...Limits.columnsMax, as: "columns")
    } catch {
      throw ConfigurationError(.limit(error), at: path)
    }
    if let width = options.minimumColumnWidth {
      let width = try LayoutPlan.checked(
        width, "minimumColumnWidth", from: Limits.trackMin, at: path)
      count = ColumnTracks.fittingCount(
        minimumWidth: width, spacing: spacing,
        available: space.crossLength - inset.left - inset.right)
    }
    do {
      return try ColumnTracks(
        count: count, spacing: spacing, leading: inset.left, trailing: inset.right,
        crossLength: space.crossLength)
    } catch {
      throw ConfigurationError(error.code, at: path)
    }
  }
}
