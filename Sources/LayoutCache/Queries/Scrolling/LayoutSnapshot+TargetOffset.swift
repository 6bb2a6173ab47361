import CollectionLayout
public import LayoutGeometry

extension LayoutSnapshot {
  /// Where scrolling should come to rest that would come to rest at an offset: what the
  /// configuration's `snap` says, held to the content.
  ///
  /// The content's start and its end are places of rest besides those that `snap` names, so
  /// that a header before the first item can be reached. Items count by their own places, not
  /// by those that an effect shows them in.
  ///
  /// Source: `targetContentOffset(forProposedContentOffset:withScrollingVelocity:)` of
  /// UICollectionViewLayout.
  ///
  /// - Parameters:
  ///   - offset: The proposed one: the top left corner of what would be visible.
  ///   - start: The offset where the drag began: with `page` scrolling comes to rest at most one
  ///     page from it. Ignored by the others; without it any page is a place of rest.
  ///   - velocity: How fast it scrolls along its axis, in any unit, above zero where x or y
  ///     grows. Only its sign counts: scrolling that has come to a halt goes to the nearest
  ///     place of rest, of two the one before; any other to the first one in its direction,
  ///     the proposed one included.
  ///   - visibleSize: The size of what is visible; the container's where left out.
  /// - Returns: The offset; across the scrolling axis the proposed one.
  /// - Complexity: With `none` and `page` O(1); else as a query for what is visible, but for
  ///   items that are longer.
  public func targetContentOffset(
    forProposed offset: Point, from start: Point? = nil, velocity: Double = 0,
    visibleSize: Size? = nil
  ) throws -> Point {
    var work = QueryWork.none
    return try targetContentOffset(
      forProposed: offset, from: start, velocity: velocity, visibleSize: visibleSize, work: &work)
  }

  /// As the public one.
  func targetContentOffset(
    forProposed offset: Point, from start: Point? = nil, velocity: Double, visibleSize: Size?,
    work: inout QueryWork
  ) throws -> Point {
    let size = visibleSize?.bounded ?? plan.space.oriented(plan.space.container)
    var canonical = plan.space.canonical(
      Rect(origin: offset.bounded, size: size), mainLength: mainLength)
    let length = canonical.size.height
    let last = lastOffset(visibleLength: length)
    let proposed = max(.zero, min(canonical.minY, last))
    let began = start.map {
      let there = plan.space.canonical(Rect(origin: $0.bounded, size: size), mainLength: mainLength)
      return max(.zero, min(there.minY, last))
    }
    let isMirrored = plan.space.isMirrored && plan.space.scrollAxis == .horizontal
    let scroll = Scroll(
      proposed: proposed, velocity: isMirrored ? -velocity : velocity, last: last)
    canonical.origin.y =
      switch plan.snap {
      case .none: proposed
      case .page: page(scroll, length: length, from: began)
      case .itemLeading: try item(scroll, shift: .zero, work: &work) { $0.minY }
      case .itemCenter:
        try item(scroll, shift: length.half, work: &work) { $0.minY + $0.size.height.half }
      }
    return plan.space.content(canonical, mainLength: mainLength).origin
  }

  /// The greatest offset along the main axis at which what is visible lies in the content.
  func lastOffset(visibleLength: Length) -> Length { max(.zero, mainLength - visibleLength) }

  /// Scrolling that would come to rest, in canonical space.
  private struct Scroll {
    /// Where; in the content.
    var proposed: Length
    var velocity: Double
    /// The content's end, as an offset.
    var last: Length

    /// Chooses between the places of rest next to the proposed one, which may be one itself.
    func rest(before: Length, behind: Length) -> Length {
      if velocity > 0 { return behind }
      if velocity < 0 { return before }
      return behind - proposed < proposed - before ? behind : before
    }
  }

  /// - Parameter start: The offset where the drag began, in the content.
  private func page(_ scroll: Scroll, length: Length, from start: Length?) -> Length {
    guard length > .zero else { return scroll.proposed }
    let rest = page(scroll, length: length)
    guard let start else { return rest }
    // The last page mostly begins before its number says.
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
    return scroll.rest(before: before, behind: behind)
  }

  /// - Parameters:
  ///   - shift: How far behind the offset a cell's mark is when the cell is at rest.
  ///   - mark: A position in a cell's frame.
  private func item(
    _ scroll: Scroll, shift: Length, work: inout QueryWork, _ mark: (Rect) -> Length
  ) throws -> Length {
    // Looked for around the offset, twice as far each time.
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
      let rest = scroll.rest(before: before, behind: behind)
      // What is not found is farther away than it was looked for.
      if abs((rest - scroll.proposed).units) <= reach.units { return rest }
      reach = reach + reach
    }
  }
}
