import CollectionLayout
public import LayoutGeometry
import SumTree

extension LayoutSnapshot {
  /// Returns the target of scrolling a carousel for a proposed offset, according to the section's
  /// `scrolling`, clamped to its range.
  ///
  /// The range's two ends are rest positions in addition to those of `scrolling`.
  ///
  /// Source: `UICollectionLayoutSectionOrthogonalScrollingBehavior` of UIKit, with groups of one
  /// item.
  ///
  /// - Parameters:
  ///   - section: The section's index.
  ///   - offset: The proposed offset from the leading edge, whatever the direction of reading.
  ///   - start: The offset at the start of the drag: with `paging`, `groupPaging` and
  ///     `groupPagingCentered` the target is at most one page or item from it. Without it any
  ///     rest position is a target. Ignored for other values.
  ///   - velocity: The scrolling velocity, in any unit, positive toward greater offsets. Only its
  ///     sign matters, as for ``targetContentOffset(forProposed:from:velocity:visibleSize:)``.
  /// - Returns: The offset; `nil` if there is no such section, or it is not a carousel.
  /// - Complexity: O(log items) nodes.
  public func targetCarouselOffset(
    inSection section: Int, forProposed offset: Length, from start: Length? = nil,
    velocity: Double = 0
  ) throws -> Length? {
    try query { state in
      guard let searched = try searchedSection(section, in: state),
        let extent = searched.carousel, case .carousel(let plan) = searched.section.plan.kind
      else { return nil }
      let last = extent.maximumOffset
      func held(_ offset: Length) -> Length { max(.zero, min(offset.bounded, last)) }
      let proposed = held(offset)
      var rests = CarouselRests(
        plan: plan, last: last, searched: searched,
        items: try items(of: searched.section, state.session))
      let (before, after) = (
        try rests.nearest(to: proposed, side: .before, isStrict: false),
        try rests.nearest(to: proposed, side: .after, isStrict: false)
      )
      let rest =
        velocity > 0 || velocity == 0 && after - proposed < proposed - before ? after : before
      guard let start, plan.scrolling.isStepwise else { return rest }
      let began = held(start)
      return max(
        try rests.nearest(to: began, side: .before, isStrict: true),
        min(rest, try rests.nearest(to: began, side: .after, isStrict: true)))
    }.result
  }
}

/// The rest positions of a carousel, within its range.
private struct CarouselRests {
  let plan: CarouselPlan
  /// The greatest offset.
  let last: Length
  let searched: SearchedSection
  let items: SectionItems

  enum Side { case before, after }

  /// Returns the rest position nearest to an offset on one side; of the range's end beyond the
  /// last rest position, that end.
  ///
  /// - Parameter isStrict: Whether the offset itself is excluded. At an end of the range the
  ///   result is that end anyway.
  mutating func nearest(to offset: Length, side: Side, isStrict: Bool) throws -> Length {
    if plan.scrolling == .continuous { return offset }
    var nearest = side == .before ? Length.zero : last
    if offset == nearest { return nearest }
    for rest in try positions(around: offset) where (Length.zero...last).contains(rest) {
      if isStrict && rest == offset { continue }
      switch side {
      case .before: if rest <= offset { nearest = max(nearest, rest) }
      case .after: if rest >= offset { nearest = min(nearest, rest) }
      }
    }
    // The ends are rest positions, too.
    if !isStrict && (offset == .zero || offset == last) { return offset }
    return nearest
  }

  /// Returns some rest positions, among them the nearest ones before and after an offset.
  private func positions(around offset: Length) throws -> [Length] {
    switch plan.scrolling {
    case .paging:
      let length = plan.containerWidth
      let page = Length(units: offset.units / length.units * length.units)
      return [page - length, page, page + length]
    case .continuousGroupLeadingBoundary, .groupPaging:
      return try cells(around: offset + plan.leading).map { $0.frame.minX - plan.leading }
    case .groupPagingCentered:
      let middle = plan.containerWidth.half
      return try cells(around: offset + middle).map {
        $0.frame.minX + $0.frame.size.width.half - middle
      }
    default: return []
    }
  }

  /// Returns the first item that ends after a position across the main axis, and its neighbours;
  /// after all items the last one.
  private func cells(around position: Length) throws -> [PlacedCell] {
    let count = items.count
    if count == 0 { return [] }
    var found: [PlacedCell] = []
    let far = Limits.contentLengthMax * 4
    try searched.stored.findItems(
      in: Rect(x: position, y: .zero, width: far, height: far), from: 0, items, into: &found
    ) { $0.isEmpty }
    let index = found.first?.index ?? count
    let range = max(0, index - 1)..<min(count, index + 2)
    var cells: [PlacedCell] = []
    try searched.stored.append(range, items, to: &cells)
    return cells
  }
}

extension SectionOptions.Scrolling {
  /// Whether a drag ends at most one rest position from where it began.
  fileprivate var isStepwise: Bool {
    switch self {
    case .paging, .groupPaging, .groupPagingCentered: true
    case .continuous, .continuousGroupLeadingBoundary: false
    @unknown default: false
    }
  }
}
