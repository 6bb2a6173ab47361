package import LayoutGeometry

/// The metrics of items on a circle, one container-sized page per section.
package struct CirclePlan: Hashable, Sendable {
  /// The items' size in the content's axes.
  package var itemSize: Size
  /// The axes and the container.
  package var space: LayoutSpace

  /// The page in the content's axes. Angles are measured there, from the positive x axis with y
  /// down, whichever axis scrolls.
  private var page: Size { space.oriented(space.container) }

  /// The radius of the items' centres, in units.
  private var radius: Double {
    let side = min(page.width, page.height) - max(itemSize.width, itemSize.height)
    return max(0, Double(side.units) / 2)
  }

  @usableFromInline
  func frame(at index: Int, ofCount count: Int) -> Rect {
    let (sine, cosine) = sineAndCosine(2 * Double.pi * Double(index) / Double(count))
    func start(_ side: Length, _ itemSide: Length, _ offset: Double) -> Length {
      Length(roundingUnits: Double(side.units) / 2 + offset - Double(itemSide.units) / 2)
    }
    let frame = Rect(
      x: start(page.width, itemSize.width, radius * cosine),
      y: start(page.height, itemSize.height, radius * sine),
      width: itemSize.width, height: itemSize.height)
    return space.scrollAxis == .vertical ? frame : frame.transposed
  }

  /// The page's length along the main axis.
  @usableFromInline
  var pageLength: Length { space.container.height }
}

extension CirclePlan {
  /// Checks and completes the options of a circle.
  init(_ options: SectionOptions, _ checks: OptionChecks) throws(ConfigurationError) {
    guard let canonical = try checks.itemSize(options.itemSize) else {
      throw ConfigurationError(.missing("itemSize"), at: checks.path)
    }
    let size = checks.space.oriented(canonical)
    // Equal circles in both directions have equal plans.
    self.init(itemSize: size, space: checks.space.reading(.leftToRight))
    // The widest container represents those of all widths, with one length along the main axis.
    if case .relative? = options.itemSize, checks.space.crossLength == Limits.sideMax { return }
    // Larger items would extend beyond their page, where queries would not find them.
    for (side, item, limit) in [
      (LimitError.Subject("width"), size.width, page.width), ("height", size.height, page.height),
    ] where item > limit {
      throw ConfigurationError(
        .limit(LimitError(.tooLarge, side, limit: limit.points, value: item.points)),
        at: checks.path + ["itemSize"])
    }
  }
}
