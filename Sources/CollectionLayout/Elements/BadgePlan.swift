package import LayoutGeometry

/// A badge on cells, in canonical axes.
struct BadgePlan: Sendable {
  let kind: CustomElement.Kind
  /// The condition on items; `nil` for none.
  let filter: ItemFilter?
  private let anchor: (across: Side, along: Side)
  private let size: Size
  private let offset: Point

  /// A side of a cell, along one axis.
  private enum Side {
    case start, middle, end

    /// Returns the start of a badge within a cell's range; the middle is rounded down.
    func start(of length: Length, in range: (start: Length, length: Length)) -> Length {
      let free = range.length - length
      return switch self {
      case .start: range.start
      case .middle: range.start + Length(units: free.units >> 1)
      case .end: range.start + free
      }
    }
  }

  init(
    _ badge: SectionOptions.Badge, in space: LayoutSpace, _ names: inout KindNames,
    at path: [String]
  ) throws(ConfigurationError) {
    kind = .supplementary(LayoutAttributes.SupplementaryKind(rawValue: badge.kind))
    try names.add(kind, path.suffix(2).joined(separator: "."), at: path)
    let most = Limits.badgeLengthMax
    for (side, name) in [(badge.size.width, "width"), (badge.size.height, "height")] {
      try ConfigurationError.limit(
        at: path + ["size"],
        Limits.check(side, in: OptionChecks.unit...most, as: LimitError.Subject(name)))
    }
    for (offset, name) in [(badge.offset.x, "x"), (badge.offset.y, "y")] {
      try ConfigurationError.limit(
        at: path + ["offset"], Limits.check(offset, in: -most...most, as: LimitError.Subject(name)))
    }
    do {
      filter = try badge.when.map(ItemFilter.init)
    } catch {
      throw ConfigurationError(.malformed(detail: "\(error)"), at: path + ["when"])
    }
    let x: Side =
      switch badge.anchor {
      case .leading, .topLeading, .bottomLeading: .start
      case .top, .bottom, .center: .middle
      case .trailing, .topTrailing, .bottomTrailing: .end
      }
    let y: Side =
      switch badge.anchor {
      case .top, .topLeading, .topTrailing: .start
      case .leading, .trailing, .center: .middle
      case .bottom, .bottomLeading, .bottomTrailing: .end
      }
    let isVertical = space.scrollAxis == .vertical
    anchor = isVertical ? (x, y) : (y, x)
    size = space.oriented(badge.size)
    offset = isVertical ? badge.offset : Point(x: badge.offset.y, y: badge.offset.x)
  }

  /// The maximum extent beyond a cell, of any size.
  var reach: Length {
    max(size.width + max(offset.x, -offset.x), size.height + max(offset.y, -offset.y))
  }

  func element(of cell: PlacedItem) -> CustomElement {
    let frame = cell.frame
    let (x, y) = (
      anchor.across.start(of: size.width, in: (frame.minX, frame.size.width)),
      anchor.along.start(of: size.height, in: (frame.minY, frame.size.height))
    )
    return CustomElement(
      kind: kind, frame: Rect(origin: Point(x: x + offset.x, y: y + offset.y), size: size),
      zIndex: cell.zIndex)
  }
}

/// A decoration of a section, of runs of its items, or between items, in canonical axes.
package struct DecorationPlan: Sendable {
  package let kind: CustomElement.Kind
  private let place: SectionOptions.Decoration.Place
  private let inset: EdgeInsets
  private let zIndex: Int

  init(
    _ decoration: SectionOptions.Decoration, _ names: inout KindNames, _ checks: OptionChecks
  ) throws(ConfigurationError) {
    kind = .decoration(decoration.kind)
    try names.add(kind, checks.path.suffix(2).joined(separator: "."), at: checks.path)
    place = decoration.place
    inset = try checks.insets(decoration.inset, "inset")
    zIndex = decoration.zIndex
    try ConfigurationError.limit(
      at: checks.path,
      Limits.check(zIndex, in: -Limits.customZIndexMax...Limits.customZIndexMax, as: "zIndex"))
    switch place {
    case .section, .content: break
    case .run(let count):
      try ConfigurationError.limit(
        at: checks.path, Limits.check(count, in: 1...Limits.runCountMax, as: "count"))
    case .separator(let length):
      try ConfigurationError.limit(
        at: checks.path,
        Limits.check(length, in: OptionChecks.unit...Limits.badgeLengthMax, as: "length"))
    }
  }

  /// The number of items of a run; `nil` for other decorations.
  package var runCount: Int? { if case .run(let count) = place { count } else { nil } }

  /// The length of separators; `nil` for other decorations.
  var separatorLength: Length? { if case .separator(let length) = place { length } else { nil } }

  /// Returns the decoration of a section, or of a run; only that of a run has an index.
  ///
  /// - Parameter run: The number of a run and the bounds of its items, if it is of runs.
  package func element(
    of section: SectionFrame, crossLength: Length, run: (number: Int, bounds: Rect)? = nil
  ) -> CustomElement {
    var whole = Rect(x: .zero, y: -section.contentStart, width: crossLength, height: section.length)
    if let run {
      whole = run.bounds
    } else if case .content = place {
      let inset = section.plan.inset
      whole.origin.y = -inset.top
      whole.size.height = inset.top + section.contentLength + inset.bottom
    }
    return CustomElement(
      kind: kind, index: run?.number ?? -1, frame: whole.inset(by: inset), zIndex: zIndex)
  }

  /// Returns the separator before a cell; `nil` if the cell begins at the content's start.
  func element(before cell: PlacedItem) -> CustomElement? {
    guard let separatorLength, cell.frame.minY > .zero else { return nil }
    let strip = Rect(
      x: cell.frame.minX, y: cell.frame.minY - separatorLength, width: cell.frame.size.width,
      height: separatorLength)
    let sides = EdgeInsets(top: .zero, left: inset.left, bottom: .zero, right: inset.right)
    return CustomElement(kind: kind, frame: strip.inset(by: sides), zIndex: zIndex)
  }
}
