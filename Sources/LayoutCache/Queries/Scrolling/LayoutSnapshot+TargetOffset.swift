import CollectionLayout
public import LayoutGeometry

extension LayoutSnapshot {
  /// Returns the target of scrolling for a proposed offset, according to the configuration's
  /// `snap`, clamped to the content.
  ///
  /// The content's start and end are snap positions in addition to those of `snap`, so that a
  /// header before the first item can be reached. Items are considered at their laid out
  /// positions, without effects.
  ///
  /// Source: `targetContentOffset(forProposedContentOffset:withScrollingVelocity:)` of
  /// UICollectionViewLayout.
  ///
  /// - Parameters:
  ///   - offset: The proposed offset: the top left corner of the visible rectangle.
  ///   - start: The offset at the start of the drag: with `page` the target is at most one page
  ///     from it. Ignored for other values; without it any page is a target.
  ///   - velocity: The scrolling velocity. Only the sign along the scrolling axis matters, except
  ///     to a ``SnapRule``: at 0 the nearest snap position is chosen, of two the one before;
  ///     otherwise the first in the direction, including the proposed one.
  ///   - visibleSize: The size of the visible rectangle; by default the container's size.
  /// - Returns: The offset; across the scrolling axis the proposed one.
  /// - Throws: The errors of a ``SnapRule``; otherwise as queries.
  /// - Complexity: With `none` and `page` O(1), with `positions` O(positions); otherwise as a query
  ///   for the visible rectangle, or a larger one for longer items.
  public func targetContentOffset(
    forProposed offset: Point, from start: Point? = nil, velocity: ScrollVelocity = .zero,
    visibleSize: Size? = nil
  ) throws -> Point {
    var work = QueryWork.none
    return try targetContentOffset(
      forProposed: offset, from: start, velocity: velocity, visibleSize: visibleSize, work: &work)
  }

  /// As the public method.
  func targetContentOffset(
    forProposed offset: Point, from start: Point? = nil, velocity: ScrollVelocity,
    visibleSize: Size?, work: inout QueryWork
  ) throws -> Point {
    let size = visibleSize?.bounded ?? plan.space.oriented(plan.space.container)
    var canonical = plan.space.canonical(
      Rect(origin: offset.bounded, size: size), mainLength: mainLength)
    let length = canonical.size.height
    let last = lastOffset(visibleLength: length)
    let proposed = max(.zero, min(canonical.minY, last))
    var held = canonical
    held.origin.y = proposed
    let began = start.map {
      let there = plan.space.canonical(Rect(origin: $0.bounded, size: size), mainLength: mainLength)
      return max(.zero, min(there.minY, last))
    }
    let isMirrored = plan.space.isMirrored && plan.space.scrollAxis == .horizontal
    let speed = plan.space.scrollAxis == .vertical ? velocity.y : velocity.x
    let scroll = Scroll(proposed: proposed, velocity: isMirrored ? -speed : speed, last: last)
    canonical.origin.y =
      switch plan.snap {
      case .none: proposed
      case .page: page(scroll, length: length, from: began)
      case .positions(let positions): position(scroll, positions)
      case .custom(let rule):
        try position(
          rule,
          ProposedScroll(
            offset: plan.space.content(held, mainLength: mainLength).origin,
            start: start?.bounded, velocity: velocity, visibleSize: size,
            contentSize: contentSize, layoutDirection: layoutDirection), last: last, work: &work)
      case .itemLeading: try item(scroll, shift: .zero, work: &work) { $0.minY }
      case .itemCenter:
        try item(scroll, shift: length.half, work: &work) { $0.minY + $0.size.height.half }
      }
    return plan.space.content(canonical, mainLength: mainLength).origin
  }

  /// Returns the greatest offset along the main axis at which the visible rectangle is within
  /// the content.
  func lastOffset(visibleLength: Length) -> Length { max(.zero, mainLength - visibleLength) }

  /// A scroll gesture and its proposed target, in canonical space.
  private struct Scroll {
    /// The proposed offset, within the content.
    var proposed: Length
    var velocity: Double
    /// The content's end, as an offset.
    var last: Length

    /// Returns one of the snap positions next to the proposed offset, which may be one itself.
    func rest(before: Length, after behind: Length) -> Length {
      if velocity > 0 { return behind }
      if velocity < 0 { return before }
      return behind - proposed < proposed - before ? behind : before
    }
  }

  /// - Parameter positions: Ascending.
  private func position(_ scroll: Scroll, _ positions: [Length]) -> Length {
    let first = positions.firstIndex { $0 >= scroll.proposed } ?? positions.count
    let next = first < positions.count ? min(positions[first], scroll.last) : scroll.last
    // The start is a snap position too.
    if next == scroll.proposed || scroll.proposed == .zero { return scroll.proposed }
    return scroll.rest(before: first > 0 ? positions[first - 1] : .zero, after: next)
  }

  /// Returns the offset along the main axis that a user's rule chooses.
  private func position(
    _ rule: any SnapRule, _ scroll: ProposedScroll, last: Length, work: inout QueryWork
  ) throws -> Length {
    var spent = QueryWork.none
    let target = try rule.target(of: scroll) { rect in
      let run = try run(in: rect.bounded, visible: nil, limit: .max)
      spent = spent + run.work
      return run.result.elements
    }
    work = work + spent
    let canonical = plan.space.canonical(
      Rect(origin: target.bounded, size: scroll.visibleSize), mainLength: mainLength)
    return max(.zero, min(canonical.minY, last))
  }

  /// - Parameter start: The offset at the start of the drag, within the content.
  private func page(_ scroll: Scroll, length: Length, from start: Length?) -> Length {
    guard length > .zero else { return scroll.proposed }
    let rest = page(scroll, length: length)
    guard let start else { return rest }
    // The last page usually starts before a multiple of the length.
    let number = start.units / length.units
    let isPage = number * length.units == start.units
    let before = Length(units: max(0, isPage ? number - 1 : number) * length.units)
    let behind = min(Length(units: number * length.units) + length, scroll.last)
    return max(before, min(rest, behind))
  }

  private func page(_ scroll: Scroll, length: Length) -> Length {
    guard scroll.proposed < scroll.last else { return scroll.proposed }
    let before = Length(units: scroll.proposed.units / length.units * length.units)
    let behind = before == scroll.proposed ? before : min(before + length, scroll.last)
    return scroll.rest(before: before, after: behind)
  }

  /// - Parameters:
  ///   - shift: The distance from the offset to a cell's mark when the cell is at rest.
  ///   - mark: A position in a cell's frame.
  private func item(
    _ scroll: Scroll, shift: Length, work: inout QueryWork, _ mark: (Rect) -> Length
  ) throws -> Length {
    // Searches around the offset, doubling the distance each time.
    var reach = max(plan.space.container.height, Length(units: 1))
    while true {
      // The content's two ends.
      var before = scroll.proposed == scroll.last ? scroll.last : .zero
      var behind = scroll.proposed == .zero ? .zero : scroll.last
      let middle = scroll.proposed + shift
      try forEachCell(
        along: (middle - reach)..<(middle + reach + Length(units: 1)), work: &work
      ) { cell in
        let place = mark(cell.frame) - shift
        if place <= scroll.proposed { before = max(before, place) }
        if place >= scroll.proposed { behind = min(behind, place) }
        return true
      }
      let rest = scroll.rest(before: before, after: behind)
      // Any cell not found is farther away than the searched distance.
      if abs((rest - scroll.proposed).units) <= reach.units { return rest }
      reach = reach + reach
    }
  }
}
