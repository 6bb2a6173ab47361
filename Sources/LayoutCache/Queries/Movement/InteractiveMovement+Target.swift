public import CollectionLayout
public import LayoutGeometry

extension InteractiveMovement {
  /// The place that a point stands for: where the first of the moving items is to stand,
  /// counted without any of them.
  ///
  /// On a cell, or on what a custom kind has for it, it is that cell's place, which the cell
  /// leaves toward where the items come from; over the items' own places it is the one that they
  /// have. A header is its section's first place, a footer its last one. Anywhere else, on
  /// decorations and what a custom kind has for a section too, it is before or behind the
  /// nearest cell of the section that the point lies in, as the point lies before or behind that
  /// along the main axis, or beside it before or behind its middle.
  ///
  /// Source: `targetIndexPath(forInteractivelyMovingItem:withPosition:)` of
  /// UICollectionViewLayout, which knows only the first rule.
  ///
  /// - Parameters:
  ///   - point: The point in the content.
  ///   - visible: The visible bounds, by which the element at the point is found; without them
  ///     nothing is pinned, and no effect acts.
  /// - Complexity: As ``LayoutSnapshot/element(at:visible:)``; where nothing is there, as a
  ///   query for a rectangle that reaches to the nearest cell.
  public func targetIndexPath(
    for point: Point, visible: Rect? = nil
  ) throws -> LayoutAttributes.IndexPath {
    var work = QueryWork.none
    return try target(for: point.bounded, visible: visible, work: &work)
  }

  /// As the public one.
  func target(for point: Point, visible: Rect?, work: inout QueryWork) throws -> IndexPath {
    guard let topmost = try snapshot.element(at: point, visible: visible) else {
      return try nearestPlace(to: point, work: &work)
    }
    let found = try snapshot.identities(of: [topmost])
    work = work + found.work
    let section = topmost.indexPath.section
    switch found.identities[0] {
    case .cell(let key), .cellElement(_, item: let key):
      return items.contains(key.string) ? targetIndexPath : place(of: topmost.indexPath)
    case .sectionElement(.supplementary(.header), _, _):
      return IndexPath(section: section, item: 0)
    case .sectionElement(.supplementary(.footer), _, _):
      return IndexPath(section: section, item: try otherCount(inSection: section))
    case .sectionElement:
      return try nearestPlace(to: point, work: &work)
    }
  }

  /// The place of another item: in the items' own section the place that it leaves to them.
  private func place(of path: IndexPath) -> IndexPath {
    var place = path
    let isBehind = path.section == targetIndexPath.section && path > targetIndexPath
    place.item = rank(of: path) + (isBehind ? 1 : 0)
    return place
  }

  /// How many items that do not move stand before a provisional place in its section.
  private func rank(of path: IndexPath) -> Int {
    let isBehind = path.section == targetIndexPath.section && path > targetIndexPath
    return (path.item ?? 0) - (isBehind ? keys.count : 0)
  }

  private func nearestPlace(to point: Point, work: inout QueryWork) throws -> IndexPath {
    let unit = Length(units: 1)
    let canonical = snapshot.plan.space.canonical(
      Rect(origin: point, size: Size(width: unit, height: unit)),
      mainLength: snapshot.mainLength
    ).origin
    var section = 0
    var bounds = Length.zero..<snapshot.mainLength
    if let here = try self.section(at: canonical.y, work: &work) {
      section = here.index
      if here.start <= canonical.y {
        if try otherCount(inSection: section) == 0 { return IndexPath(section: section, item: 0) }
        bounds = here.start..<here.end
      }
    }
    // From beyond the bounds the same cell is nearest as from their edge.
    var near = canonical
    near.y = max(bounds.lowerBound, min(canonical.y, bounds.upperBound))
    guard let (cell, _) = try nearestCell(to: near, within: bounds, work: &work) else {
      return IndexPath(section: section, item: try otherCount(inSection: section))
    }
    var place = cell.indexPath
    place.item = rank(of: place) + (cell.frame.isPassed(by: canonical) ? 1 : 0)
    return place
  }

  /// The section in which a position of the main axis lies; between two of them the one behind
  /// it, and behind all the last one.
  private func section(at position: Length, work: inout QueryWork) throws -> PlacedSection? {
    let (section, cost) = try snapshot.query { state -> PlacedSection? in
      var walk = SectionWalk(snapshot, in: state.session)
      try walk.seek(endingAfter: position, atLeast: 0)
      return try walk.advance()
        ?? snapshot.section(snapshot.sectionCount - 1, in: state.session)
    }
    work = work + cost
    return section
  }

  /// The cell that is nearest to a point and does not move: by how far it lies away along the
  /// one axis and the other together. Of several the first.
  ///
  /// - Parameter bounds: Where cells are looked for along the main axis.
  private func nearestCell(
    to point: Point, within bounds: Range<Length>, work: inout QueryWork
  ) throws -> (cell: StoredCell, distance: Length)? {
    var reach = max(snapshot.plan.space.crossLength.half, Length(units: 1))
    while true {
      let range = ((point.y - reach)..<(point.y + reach)).clamped(to: bounds)
      var nearest: (cell: StoredCell, distance: Length)?
      try snapshot.forEachCell(along: range, work: &work) { cell in
        let distance = cell.frame.distance(to: point)
        if !items.contains(cell.key), nearest.map({ distance < $0.distance }) ?? true {
          nearest = (cell, distance)
        }
        return true
      }
      // What is farther away along the main axis alone has not been looked at.
      if range == bounds || nearest.map({ $0.distance < reach }) ?? false { return nearest }
      reach = reach + reach
    }
  }
}

extension Rect {
  /// How far a point lies away along x and along y, added up; zero within.
  fileprivate func distance(to point: Point) -> Length {
    max(minX - point.x, point.x - maxX, .zero) + max(minY - point.y, point.y - maxY, .zero)
  }

  /// Whether a reader who has come to a point, in canonical axes, is past the rectangle.
  fileprivate func isPassed(by point: Point) -> Bool {
    if point.y < minY { return false }
    return point.y >= maxY || point.x >= minX + size.width.half
  }
}
