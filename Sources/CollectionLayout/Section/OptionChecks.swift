import LayoutGeometry

/// Checks a section's options against their limits while its plan is created.
struct OptionChecks {
  let space: LayoutSpace
  /// The path of the options in the configuration, for errors.
  let path: [String]
  /// Whether the container must have room for the elements of the options.
  var hasRoom = true

  static let unit = Length(units: 1)

  /// Returns a length within the limits; `nil` if it is omitted.
  func length(
    _ length: Length?, _ name: String, from least: Length = .zero
  ) throws(ConfigurationError) -> Length? {
    guard let length else { return nil }
    return try LayoutPlan.checked(length, name, from: least, at: path)
  }

  /// Returns a length within the limits in the container; `nil` if it is omitted.
  ///
  /// - Parameter leastShare: The least length of a fraction of the container.
  func length(
    _ length: ContainerLength?, _ name: String, from least: Length = .zero,
    fractionFrom leastShare: Length? = nil, within place: [String] = []
  ) throws(ConfigurationError) -> Length? {
    guard let length else { return nil }
    let resolved = try length.resolved(in: space, at: path + place + [name])
    let isFixed = if case .fixed = length { true } else { false }
    return try LayoutPlan.checked(
      resolved, name, from: isFixed ? least : leastShare ?? least, at: path + place)
  }

  /// Returns the size of all items with sides of at least one unit, in canonical axes; `nil` for
  /// natural sizes.
  func itemSize(_ size: SectionOptions.ItemSize?) throws(ConfigurationError) -> Size? {
    let (width, height): (ContainerLength, ContainerLength)
    switch size {
    case nil, .natural: return nil
    case .fixed(let size): (width, height) = (.fixed(size.width), .fixed(size.height))
    case .relative(let relativeWidth, let relativeHeight):
      (width, height) = (relativeWidth, relativeHeight)
    }
    func side(
      _ side: ContainerLength, _ name: String
    ) throws(ConfigurationError) -> Length {
      try length(side, name, from: Self.unit, within: ["itemSize"]) ?? Self.unit
    }
    return space.oriented(Size(width: try side(width, "width"), height: try side(height, "height")))
  }

  /// Returns insets within the limits, in canonical axes.
  func insets(
    _ insets: ContainerInsets?, _ name: String
  ) throws(ConfigurationError) -> EdgeInsets {
    let given = insets ?? .zero
    func side(
      _ side: ContainerLength, _ edge: String
    ) throws(ConfigurationError) -> Length {
      try length(side, edge, within: [name]) ?? .zero
    }
    let insets = EdgeInsets(
      top: try side(given.top, "top"), left: try side(given.left, "left"),
      bottom: try side(given.bottom, "bottom"), right: try side(given.right, "right"))
    return space.scrollAxis == .vertical ? insets : insets.transposed
  }

  /// Returns the inset of a background within the limits, in canonical axes.
  func background(
    _ background: SectionOptions.Background?
  ) throws(ConfigurationError) -> EdgeInsets {
    if let background {
      try ConfigurationError.limit(
        at: path + ["background"], Limits.check(name: background.kind, as: "background kind"))
    }
    return try insets(background?.inset, "background inset")
  }

  /// Checks the number of entries of a list.
  func check(
    _ list: [some Any], _ name: String, upTo most: Int
  ) throws(ConfigurationError) {
    try ConfigurationError.limit(
      at: path + [name], Limits.check(list.count, in: 0...most, as: LimitError.Subject(name)))
  }

  /// Returns the columns for `columns` or `minimumColumnWidth`.
  ///
  /// - Parameter isWeighted: Whether `columns` may list the weights of unequal columns.
  func tracks(
    _ options: SectionOptions, inset: EdgeInsets, isWeighted: Bool = false
  ) throws(ConfigurationError) -> ColumnTracks {
    if options.columns != nil && options.minimumColumnWidth != nil {
      throw ConfigurationError(.conflict("columns", "minimumColumnWidth"), at: path)
    }
    let spacing = try length(options.columnSpacing, "columnSpacing") ?? .zero
    var count = SectionOptions.columnsDefault
    var weights: [Int]?
    switch options.columns {
    case nil: break
    case .equal(let number): count = number
    case .weighted(let list):
      guard isWeighted else {
        let detail = "a waterfall's 'columns' is a number, as lengths must not depend on the column"
        throw ConfigurationError(.malformed(detail: detail), at: path + ["columns"])
      }
      for weight in list {
        try ConfigurationError.limit(
          at: path + ["columns"],
          Limits.check(weight, in: 1...Limits.columnWeightMax, as: "weight"))
      }
      (count, weights) = (list.count, list)
    }
    try ConfigurationError.limit(
      at: path, Limits.check(count, in: 1...Limits.columnsMax, as: "columns"))
    if let width = try length(
      options.minimumColumnWidth, "minimumColumnWidth", from: Limits.trackMin)
    {
      count = ColumnTracks.fittingCount(
        minimumWidth: width, spacing: spacing,
        available: space.crossLength - inset.left - inset.right)
    }
    return try tracks(count: count, weights: weights, spacing: spacing, inset: inset)
  }

  /// Returns the single track of kinds without columns: the range between the insets.
  func line(inset: EdgeInsets) throws(ConfigurationError) -> Range<Length> {
    let tracks = try tracks(count: 1, spacing: .zero, inset: inset)
    return tracks.starts[0]..<tracks.ends[0]
  }

  private func tracks(
    count: Int, weights: [Int]? = nil, spacing: Length, inset: EdgeInsets
  ) throws(ConfigurationError) -> ColumnTracks {
    try ColumnTracks(
      count: count, weights: weights, spacing: spacing, leading: inset.left,
      trailing: inset.right, crossLength: space.crossLength, at: path)
  }
}
