import CollectionLayout
import LayoutGeometry

/// The moving items at one target, and the layout that results from it.
///
/// It is a function of the committed layout, the items and the target, so that a movement
/// resumed from its target continues like a retained one.
struct ProvisionalTarget: Sendable {
  /// The layout that the movement began with.
  let committed: LayoutSnapshot
  let items: MovedItems
  /// The position of the first moving item, not counting any moving items.
  let indexPath: IndexPath
  let layout: ProvisionalLayout

  /// The layout with the items at the target.
  var snapshot: LayoutSnapshot { layout.snapshot }

  /// - Parameter indexPath: An existing section, and an item index from 0 to the number of its
  ///   other items.
  /// - Throws: ``LayoutCacheError`` with `cannotLayOut` if the content would be too long.
  /// - Complexity: O(log items) nodes for each moving item, and the work of following the move.
  init(
    _ indexPath: IndexPath, of items: MovedItems, in committed: LayoutSnapshot,
    work: inout QueryWork
  ) throws {
    self.committed = committed
    self.items = items
    self.indexPath = indexPath
    let destination: ItemDestination
    if let rank = indexPath.item, rank > 0 {
      let index = items.index(ofRank: rank - 1, inSection: indexPath.section)
      let keys = try committed.keys(ofItems: index..<(index + 1), inSection: indexPath.section)
      guard let neighbour = keys.first else { throw Damage.misplaced }
      destination = .after(neighbour)
    } else {
      let (section, _) = try committed.query {
        try committed.section(indexPath.section, in: $0.session)
      }
      guard let section else { throw Damage.misplaced }
      destination = .index(0, section: section.key)
    }
    var operations: [BatchOperation] = []
    for (index, key) in items.keys.enumerated() {
      operations.append(
        .move(key: key, to: index == 0 ? destination : .after(items.keys[index - 1])))
    }
    layout = try committed.provisional(operations, work: &work)
  }

  /// Returns the same items at another target.
  ///
  /// - Throws: As the initializer.
  func moved(to indexPath: IndexPath, work: inout QueryWork) throws -> ProvisionalTarget {
    try ProvisionalTarget(indexPath, of: items, in: committed, work: &work)
  }

  /// Returns the number of items of a section that do not move.
  func otherCount(inSection section: Int) throws -> Int {
    try items.otherCount(inSection: section, of: committed)
  }
}

extension MovedItems {
  /// Returns the number of other items of a section.
  func otherCount(inSection section: Int, of committed: LayoutSnapshot) throws -> Int {
    let (count, _) = try committed.query {
      try committed.trees.items(ofSection: section, in: $0.session).count
    }
    return count - self.count(inSection: section)
  }
}

extension ProvisionalTarget {
  /// Returns the target that a point maps to while the items are at this one; see
  /// ``InteractiveMovement/targetIndexPath(for:visible:)``.
  func target(for point: Point, visible: Rect?, work: inout QueryWork) throws -> IndexPath {
    // A pinned header covers rows that are drag targets; at its laid out position it is the
    // section's start.
    let topmost = try snapshot.element(at: point, visible: visible, pins: false, work: &work)
    guard let topmost else { return try nearestTarget(to: point, work: &work) }
    let found = try snapshot.identities(of: [topmost])
    work = work + found.work
    let section = topmost.indexPath.section
    switch found.identities[0] {
    case .cell(let key), .cellElement(_, item: let key):
      return items.contains(key.string) ? indexPath : place(of: topmost.indexPath)
    case .sectionElement(.supplementary(let kind), let key, number: nil):
      let style = try snapshot.style(ofSection: section)
      let isTop = snapshot.plan.section(key.string, style: style).boundary[kind]?.edge == .top
      return IndexPath(section: section, item: isTop ? 0 : try otherCount(inSection: section))
    case .sectionElement, .layoutElement:
      return try nearestTarget(to: point, work: &work)
    }
  }

  /// Returns the target at another item: in the moving items' section, the position that it
  /// vacates for them.
  private func place(of path: IndexPath) -> IndexPath {
    var place = path
    let isBehind = path.section == indexPath.section && path > indexPath
    place.item = rank(of: path) + (isBehind ? 1 : 0)
    return place
  }

  /// Returns the number of other items before a provisional position in its section.
  private func rank(of path: IndexPath) -> Int {
    let isBehind = path.section == indexPath.section && path > indexPath
    return (path.item ?? 0) - (isBehind ? items.keys.count : 0)
  }

  /// Returns the target for a point that no cell, header or footer contains.
  private func nearestTarget(to point: Point, work: inout QueryWork) throws -> IndexPath {
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
        if here.itemCount == 0 { return IndexPath(section: section, item: 0) }
        bounds = here.start..<here.end
      }
    }
    // The nearest cell from beyond the bounds is the nearest from their edge.
    var near = canonical
    near.y = max(bounds.lowerBound, min(canonical.y, bounds.upperBound))
    guard let row = try nearestRow(to: near, within: bounds, work: &work) else {
      return IndexPath(section: section, item: try otherCount(inSection: section))
    }
    if row.isOwn { return indexPath }
    var place = row.cell.indexPath
    place.item = rank(of: place) + (row.isCellPassed(by: canonical) ? 1 : 0)
    return place
  }

  /// Returns the section at a position of the main axis; between two sections the later one,
  /// and after all the last one.
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

  /// Returns the row nearest to a point along the main axis, of equal ones the first; `nil`
  /// without cells.
  ///
  /// - Parameters:
  ///   - point: The point in canonical space.
  ///   - bounds: The range of the main axis in which to search.
  private func nearestRow(
    to point: Point, within bounds: Range<Length>, work: inout QueryWork
  ) throws -> Row? {
    var reach = max(snapshot.plan.space.crossLength.half, Length(units: 1))
    while true {
      let range = ((point.y - reach)..<(point.y + reach)).clamped(to: bounds)
      var rows: [Row] = []
      var rowsEnd = range.lowerBound
      try snapshot.forEachCell(along: range, work: &work) { cell in
        var row = Row(cell, isOwn: items.contains(cell.key), from: point)
        // In most kinds a new row is after all others.
        while cell.frame.minY < rowsEnd, let index = rows.lastIndex(where: { $0.overlaps(row) }) {
          row = rows.remove(at: index).joined(with: row)
        }
        rows.append(row)
        rowsEnd = max(rowsEnd, cell.frame.maxY)
        return true
      }
      let nearest = rows.min {
        ($0.distance(to: point), $0.start) < ($1.distance(to: point), $1.start)
      }
      // Cells beyond the range are farther away by their distance along the main axis.
      if range == bounds || nearest.map({ $0.cellDistance < reach }) ?? false { return nearest }
      reach = reach + reach
    }
  }
}

/// A group of cells connected by overlaps along the main axis: a line of a flow, or most
/// waterfalls as a whole. In canonical space.
private struct Row {
  private(set) var start: Length
  private var end: Length
  /// The row's cell nearest to the point, by the sum of the distances along both axes. Of
  /// several a moving one, otherwise the first.
  private(set) var cell: StoredCell
  /// Whether the nearest cell is a moving item.
  private(set) var isOwn: Bool
  private(set) var cellDistance: Length

  init(_ cell: StoredCell, isOwn: Bool, from point: Point) {
    (start, end) = (cell.frame.minY, cell.frame.maxY)
    (self.cell, self.isOwn) = (cell, isOwn)
    cellDistance = cell.frame.distance(to: point)
  }

  func overlaps(_ other: Row) -> Bool { start < other.end && other.start < end }

  /// Returns the union with a later row.
  func joined(with other: Row) -> Row {
    let isNearer =
      other.cellDistance == cellDistance
      ? other.isOwn && !isOwn : other.cellDistance < cellDistance
    var row = isNearer ? other : self
    row.start = min(start, other.start)
    row.end = max(end, other.end)
    return row
  }

  /// Returns the distance to a point along the main axis; zero within.
  func distance(to point: Point) -> Length { point.y.distance(to: start..<end) }

  /// Returns whether a point is after the nearest cell: along the cross axis within its row,
  /// otherwise along the main axis.
  func isCellPassed(by point: Point) -> Bool {
    let frame = cell.frame
    if point.y >= start && point.y < end && !(frame.minX..<frame.maxX).contains(point.x) {
      return point.x >= frame.maxX
    }
    if point.y < frame.minY { return false }
    return point.y >= frame.maxY || point.x >= frame.minX + frame.size.width.half
  }
}

extension Rect {
  /// Returns the sum of the distances to a point along x and y; zero inside.
  fileprivate func distance(to point: Point) -> Length {
    point.x.distance(to: minX..<maxX) + point.y.distance(to: minY..<maxY)
  }
}

extension Length {
  /// Returns the distance to a half-open range; zero inside, and one unit at its end.
  fileprivate func distance(to range: Range<Length>) -> Length {
    max(range.lowerBound - self, self - range.upperBound + Length(units: 1), .zero)
  }
}

extension ProvisionalTarget {
  /// The maximum number of other targets tried for a point. Each requires a layout.
  private static let trialsMax = 4

  /// Returns the target for a pointer's position: another one that the point maps to with the
  /// items there, or this one.
  ///
  /// A target mapped in the current order may be unstable: the items' absence, and their size,
  /// move the cells at the point. Without this test the target would change with each call
  /// while the pointer rests.
  ///
  /// The candidates are the target that the point maps to here, the one that it maps to with
  /// the items there, and so on, and the positions around the first one.
  func settled(
    at point: Point, visible: Rect?, work: inout QueryWork
  ) throws -> ProvisionalTarget {
    let first = try target(for: point, visible: visible, work: &work)
    var known: Set<IndexPath> = [indexPath]
    var candidates = [first]
    var trials = 0
    while !candidates.isEmpty && trials < Self.trialsMax {
      let candidate = candidates.removeFirst()
      guard known.insert(candidate).inserted else { continue }
      let trial = try moved(to: candidate, work: &work)
      let mapped = try trial.target(for: point, visible: visible, work: &work)
      if mapped == candidate { return trial }
      trials += 1
      candidates.insert(mapped, at: 0)
      if trials == 1 { candidates += try neighbours(of: first) }
    }
    return self
  }

  /// Returns the positions before and after a target in its section.
  private func neighbours(of target: IndexPath) throws -> [IndexPath] {
    let item = target.item ?? 0
    let itemMax = try otherCount(inSection: target.section)
    return [item - 1, item + 1].filter { (0...itemMax).contains($0) }
      .map { IndexPath(section: target.section, item: $0) }
  }
}
