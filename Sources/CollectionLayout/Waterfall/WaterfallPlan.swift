package import LayoutGeometry

/// A waterfall section's metrics in canonical axes.
package struct WaterfallPlan: Hashable, Sendable {
  package var tracks: ColumnTracks
  /// The gap between two items of a column.
  package var lineSpacing: Length
  /// The length of items before clamping to the next two.
  package var itemLength: SectionOptions.ItemLength
  /// The minimum length of an item; at least one unit.
  package var minimumLength: Length
  /// The maximum length of an item.
  package var maximumLength: Length
  /// The excess over the least position up to which a column may be chosen.
  package var tolerance: Length
  /// The choice among eligible columns.
  package var ties: SectionOptions.Ties
  /// The time when items are assigned to columns.
  package var assignment: SectionOptions.Assignment
  /// The difference between columns, beyond the longest item, at which the section is rebalanced.
  package var maximumSkew: Length
  /// A custom kind's rule for items, instead of their spans and ``itemLength``.
  package var rule: WaterfallRule?

  /// Returns the number of columns that an item covers, from 1 to the section's.
  @inlinable
  package func columnSpan(of item: LayoutItem) -> Int {
    rule?.columnSpan(of: item, columns: tracks.count) ?? columnSpan(item.columnSpan)
  }

  /// Returns the length of an item along the main axis without a measured length.
  ///
  /// - Parameter columnSpan: The span from ``columnSpan(of:)``.
  @inlinable
  package func length(of item: LayoutItem, columnSpan: Int) -> Length {
    guard let rule else { return length(of: item.size, columnSpan: columnSpan) }
    let width = tracks.nominalWidth(columnSpan: columnSpan)
    return held(rule.length(of: item, width: width))
  }

  /// Returns the number of columns that an item covers: its span clamped to the columns, all of
  /// them for span 0.
  @inlinable
  package func columnSpan(_ span: Int) -> Int {
    span == 0 ? tracks.count : min(span, tracks.count)
  }

  /// Returns the length of an item along the main axis.
  ///
  /// - Parameters:
  ///   - size: The natural size in canonical axes.
  ///   - columnSpan: The number of columns that the item covers, from 1 to the section's.
  @inlinable
  package func length(of size: Size, columnSpan: Int) -> Length {
    let length =
      switch itemLength {
      case .aspect: tracks.aspectLength(of: size, columnSpan: columnSpan)
      case .natural: size.height
      case .fixed(let length): length
      }
    return held(length)
  }

  /// Clamps a length to the section's limits.
  @inlinable
  package func held(_ length: Length) -> Length {
    min(max(length, minimumLength), maximumLength)
  }
}

extension WaterfallPlan {
  /// Checks and completes the options of a waterfall.
  init(
    _ options: SectionOptions, rule: WaterfallRule? = nil, inset: EdgeInsets,
    _ checks: OptionChecks
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
        ?? checks.space.container.height * 2,
      rule: rule)
  }
}
