package import LayoutGeometry

/// The metrics of a justified section, as in photo timelines, in canonical axes.
///
/// A row's items keep their proportions and have the same length, chosen so that they fill the
/// line. Rows approximate the target length as closely as that allows.
package struct JustifiedPlan: Hashable, Sendable {
  /// The width that a row fills.
  package var line: Range<Length>
  /// The gap between two items, and between two rows.
  package var spacing: Length
  /// The length that rows approximate.
  package var targetRowLength: Length
  /// The maximum length of a last row that grows to fill its line.
  package var maximumRowLength: Length
  /// The layout of a last row that its items do not fill.
  package var lastRow: SectionOptions.LastRow

  /// ``targetRowLength`` in units.
  var target: Double { Double(targetRowLength.units) }

  func ratio(of item: Size) -> Double { Double(item.width.units) / Double(item.height.units) }

  /// Returns the length at which a number of items fill the line, in units.
  func height(ofCount count: Int, ratios: Double) -> Double {
    let free = line.upperBound - line.lowerBound - spacing * (count - 1)
    return Double(free.units) / ratios
  }

  /// Returns the length of an incomplete last row.
  ///
  /// - Parameters:
  ///   - height: The length at which its items would fill the line, above the target.
  ///   - before: The length of the row before it, if any.
  func unfinishedHeight(_ height: Double, after before: Length?) -> Double {
    switch lastRow {
    case .natural: target
    case .fill: min(height, Double(maximumRowLength.units))
    case .match: min(target, Double((before ?? targetRowLength).units))
    }
  }

  /// Returns a row's length.
  func length(_ height: Double) throws(LimitError) -> Length {
    let limit = Limits.contentLengthMax
    guard height <= Double(limit.units) else {
      throw LimitError(
        .tooLarge, "row length", limit: limit.points, value: height / Double(Length.unitsPerPoint))
    }
    return max(OptionChecks.unit, Length(flooringUnits: height))
  }

  func frames(of items: [Size], length: Length, isLast: Bool) -> [Rect] {
    let whole = items.reduce(0.0) { $0 + ratio(of: $1) }
    let full = height(ofCount: items.count, ratios: whole)
    let isUnfinished = isLast && full > target
    // A matching row has the length of the row before it, in whole units.
    let height = isUnfinished ? unfinishedHeight(full, after: length) : full
    var frames: [Rect] = []
    frames.reserveCapacity(items.count)
    var ratios = 0.0
    for (index, item) in items.enumerated() {
      let offset = line.lowerBound + spacing * index
      let start = Length(flooringUnits: height * ratios) + offset
      ratios += ratio(of: item)
      var end = Length(flooringUnits: height * ratios) + offset
      if index == items.count - 1 && height == full { end = line.upperBound }
      frames.append(Rect(x: start, y: .zero, width: max(.zero, end - start), height: length))
    }
    return frames
  }
}

extension JustifiedPlan {
  /// Checks and completes the options of a justified section.
  init(
    _ options: SectionOptions, inset: EdgeInsets, _ checks: OptionChecks
  ) throws(ConfigurationError) {
    let unit = OptionChecks.unit
    guard
      let target = try checks.length(options.targetRowLength, "targetRowLength", from: unit)
    else {
      throw ConfigurationError(.missing("targetRowLength"), at: checks.path)
    }
    self.init(
      line: try checks.line(inset: inset),
      spacing: try checks.length(options.spacing, "spacing") ?? .zero,
      targetRowLength: target,
      maximumRowLength: try checks.length(options.maximumRowLength, "maximumRowLength", from: unit)
        ?? Length(units: 3 * target.units / 2),
      lastRow: options.lastRow ?? .natural)
  }
}
