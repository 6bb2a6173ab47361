package import LayoutGeometry

/// The metrics of a carousel in canonical axes: one line of items along the cross axis, which
/// extends beyond the container and scrolls independently.
///
/// Source: `orthogonalScrollingBehavior` of UIKit's `NSCollectionLayoutSection`, with groups of
/// one item.
package struct CarouselPlan: Hashable, Sendable {
  /// The rule for one side of an item.
  package enum Side: Hashable, Sendable {
    /// The natural side.
    case natural
    /// In proportion to the natural size, from the other side.
    case aspect
    /// The same for all items.
    case fixed(Length)
  }

  /// The container's length across the main axis: the visible part of the line.
  package var containerWidth: Length
  /// The inset before the first item.
  package var leading: Length
  /// The inset after the last item.
  package var trailing: Length
  /// The side of items across the main axis, along the line; not both sides are `aspect`.
  package var itemWidth: Side
  /// The side of items along the main axis.
  package var itemLength: Side
  /// The gap between two items.
  package var spacing: Length
  /// The alignment of items within the length of the longest.
  package var crossAlignment: SectionOptions.CrossAlignment
  /// The positions at which scrolling rests.
  package var scrolling: SectionOptions.Scrolling

  /// Whether measured cross lengths have an effect.
  var takesPreferredCrossLengths: Bool { if case .fixed = itemWidth { false } else { true } }

  /// Returns an item's size.
  ///
  /// A measured side replaces the computed one; the other side is computed without it, as in a
  /// flow.
  ///
  /// - Throws: `LimitError` for a side beyond ``Limits/contentLengthMax``, which extreme
  ///   proportions may have.
  package func size(of item: LayoutItem) throws(LimitError) -> Size {
    let natural = item.size
    let width = Self.length(
      of: itemWidth, natural: natural.width, across: itemLength, natural: natural.height)
    let length = Self.length(
      of: itemLength, natural: natural.height, across: itemWidth, natural: natural.width)
    let measuredWidth = takesPreferredCrossLengths ? item.preferredCrossLength : nil
    let size = Size(width: measuredWidth ?? width, height: item.preferredLength ?? length)
    try Limits.checkContent(max(size.width, size.height))
    return size
  }

  /// Returns the length of a side of an item, given the item's other side.
  private static func length(
    of side: Side, natural: Length, across other: Side, natural otherNatural: Length
  ) -> Length {
    switch side {
    case .natural: return natural
    case .fixed(let length): return length
    case .aspect:
      guard case .fixed(let length) = other else { return natural }
      return proportional(length, natural, to: otherNatural)
    }
  }

  /// Returns `length · part / whole`, rounded down, but at least one unit.
  ///
  /// No overflow in 64 bits: all three are at most 2^26 units, or 2^33 for a fraction of the
  /// container.
  private static func proportional(
    _ length: Length, _ part: Length, to whole: Length
  ) -> Length {
    max(OptionChecks.unit, Length(units: length.units * part.units / whole.units))
  }

  /// Returns the start of an item along the main axis, from the content's start.
  ///
  /// - Parameters:
  ///   - length: The item's length.
  ///   - longest: The content's length: that of its longest item.
  @inlinable
  package func start(ofLength length: Length, in longest: Length) -> Length {
    switch crossAlignment {
    case .top: .zero
    case .center: (longest - length).half
    case .bottom: longest - length
    }
  }

  /// Returns whether both place the same items at the same positions.
  func places(as other: CarouselPlan) -> Bool {
    var other = other
    other.scrolling = scrolling
    return self == other
  }
}

extension CarouselPlan {
  /// Checks and completes the options of a carousel.
  init(
    _ options: SectionOptions, inset: EdgeInsets, _ checks: OptionChecks
  ) throws(ConfigurationError) {
    let line = try checks.line(inset: inset)
    let itemWidth = try Self.side(options.itemWidth ?? .natural, in: line, checks)
    let itemLength = try Self.side(options.itemLength ?? .natural, checks)
    if itemWidth == .aspect && itemLength == .aspect {
      throw ConfigurationError(
        .malformed(detail: "'itemWidth' and 'itemLength' of a carousel cannot both be 'aspect'"),
        at: checks.path)
    }
    self.init(
      containerWidth: checks.space.crossLength, leading: inset.left, trailing: inset.right,
      itemWidth: itemWidth, itemLength: itemLength,
      spacing: try checks.length(options.spacing, "spacing") ?? .zero,
      crossAlignment: options.crossAlignment ?? .center,
      scrolling: options.scrolling ?? .continuous)
  }

  private static func side(
    _ length: SectionOptions.ItemLength, _ checks: OptionChecks
  ) throws(ConfigurationError) -> Side {
    switch length {
    case .natural: return .natural
    case .aspect: return .aspect
    case .fixed(let length):
      let unit = OptionChecks.unit
      return .fixed(try checks.length(length, "itemLength", from: unit) ?? unit)
    }
  }

  /// - Parameter line: The range between the insets.
  private static func side(
    _ width: SectionOptions.ItemWidth, in line: Range<Length>, _ checks: OptionChecks
  ) throws(ConfigurationError) -> Side {
    let unit = OptionChecks.unit
    switch width {
    case .natural: return .natural
    case .aspect: return .aspect
    case .fixed(let width):
      return .fixed(try checks.length(width, "itemWidth", from: unit) ?? unit)
    case .containerFraction(let fraction, let minus):
      let width = ContainerLength.fraction(fraction, minus: minus)
      return .fixed(try checks.length(width, "itemWidth", from: unit) ?? unit)
    case .fraction(let fraction, let peek):
      let path = checks.path + ["itemWidth"]
      try ConfigurationError.limit(
        at: path, Limits.check(peek, in: .zero...Limits.sideMax, as: "peek"))
      try ConfigurationError.limit(at: path, Limits.check(fraction: fraction))
      let shared = line.upperBound - line.lowerBound - peek
      guard shared >= Limits.trackMin else {
        let limit = line.upperBound - line.lowerBound - Limits.trackMin
        throw ConfigurationError(
          .limit(LimitError(.tooLarge, "peek", limit: limit.points, value: peek.points)), at: path)
      }
      return .fixed(max(unit, Length(flooringUnits: Double(shared.units) * fraction)))
    }
  }
}
