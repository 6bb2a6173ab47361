import LayoutGeometry

/// Checks a section's options against their limits while its plan is created.
struct OptionChecks {
  let space: LayoutSpace
  /// The path of the options in the configuration, for errors.
  let path: [String]

  static let unit = Length(units: 1)

  /// Returns a length within the limits; `nil` if it is omitted.
  func length(
    _ length: Length?, _ name: String, from least: Length = .zero
  ) throws(ConfigurationError) -> Length? {
    guard let length else { return nil }
    return try LayoutPlan.checked(length, name, from: least, at: path)
  }

  /// Returns a size with sides of at least one unit, in canonical axes.
  func size(_ size: Size, _ name: String) throws(ConfigurationError) -> Size {
    space.oriented(
      Size(
        width: try LayoutPlan.checked(size.width, "width", from: Self.unit, at: path + [name]),
        height: try LayoutPlan.checked(
          size.height, "height", from: Self.unit, at: path + [name])))
  }

  /// Returns insets within the limits, in canonical axes.
  func insets(_ insets: EdgeInsets?, _ name: String) throws(ConfigurationError) -> EdgeInsets {
    let insets = insets ?? .zero
    for (side, length) in [
      ("top", insets.top), ("left", insets.left), ("bottom", insets.bottom),
      ("right", insets.right),
    ] {
      _ = try LayoutPlan.checked(length, side, from: .zero, at: path + [name])
    }
    return space.scrollAxis == .vertical ? insets : insets.transposed
  }

  /// Returns the columns for `columns` or `minimumColumnWidth`.
  func tracks(
    _ options: SectionOptions, inset: EdgeInsets
  ) throws(ConfigurationError) -> ColumnTracks {
    if options.columns != nil && options.minimumColumnWidth != nil {
      throw ConfigurationError(.conflict("columns", "minimumColumnWidth"), at: path)
    }
    let spacing = try length(options.columnSpacing, "columnSpacing") ?? .zero
    var count = options.columns ?? SectionOptions.columnsDefault
    try ConfigurationError.limit(
      at: path, Limits.check(count, in: 1...Limits.columnsMax, as: "columns"))
    if let width = try length(
      options.minimumColumnWidth, "minimumColumnWidth", from: Limits.trackMin)
    {
      count = ColumnTracks.fittingCount(
        minimumWidth: width, spacing: spacing,
        available: space.crossLength - inset.left - inset.right)
    }
    return try tracks(count: count, spacing: spacing, inset: inset)
  }

  /// Returns the single track of kinds without columns: the range between the insets.
  func line(inset: EdgeInsets) throws(ConfigurationError) -> Range<Length> {
    let tracks = try tracks(count: 1, spacing: .zero, inset: inset)
    return tracks.starts[0]..<tracks.ends[0]
  }

  private func tracks(
    count: Int, spacing: Length, inset: EdgeInsets
  ) throws(ConfigurationError) -> ColumnTracks {
    try ColumnTracks(
      count: count, spacing: spacing, leading: inset.left, trailing: inset.right,
      crossLength: space.crossLength, at: path)
  }
}
