import CollectionLayout
public import LayoutGeometry
import SumTree

extension LayoutSnapshot {
  /// Returns the anchor of a visible rectangle.
  ///
  /// - Parameter visible: The visible rectangle, in the content.
  /// - Returns: `nil` if no cell is visible.
  /// - Complexity: As a query for the rectangle, and O(log items) nodes for each of a few dozen
  ///   neighbours.
  public func anchor(in visible: Rect) throws -> LayoutAnchor? {
    let visible = visible.bounded
    var anchor = LayoutAnchor(cells: [], visibleLength: mainLength(of: visible))
    var work = QueryWork.none
    try forEachAnchorCell(in: visible, work: &work) { cell in
      anchor.cells.append(cell)
      return anchor.cells.count < Self.anchorCellsMax
    }
    return anchor.cells.isEmpty ? nil : anchor
  }

  /// Returns the content offset that restores an anchor's position in this snapshot: after
  /// changes, in another layout, or after a device rotation.
  ///
  ///     let place = try cache.read(phone) { try $0.anchor(in: visible) }
  ///     let offset = try cache.read(wide) { try $0.contentOffset(keeping: place!) }
  ///
  /// - Parameters:
  ///   - anchor: An anchor from any snapshot of the dataset.
  ///   - visibleSize: The size of the new visible rectangle; by default the container's size.
  /// - Returns: `nil` if the dataset has none of the anchor's cells.
  /// - Complexity: O(log items) nodes for each cell until one is found.
  public func contentOffset(
    keeping anchor: LayoutAnchor, visibleSize: Size? = nil
  ) throws -> AnchoredOffset? {
    try query { state in
      for cell in anchor.cells {
        let kept = try offset(
          keeping: cell, visibleLength: anchor.visibleLength, visibleSize: visibleSize,
          in: state.session)
        if let kept { return kept }
      }
      return nil
    }.result
  }

  /// Returns the content offset at which a cell visible in another snapshot keeps its position.
  ///
  /// For the same layout before changes, it is the first visible cell that the changes left
  /// alone: it was not inserted or moved by an operation, and has the same natural size, span
  /// and measured length; data is ignored. If there is none, it is the first visible cell that
  /// still exists. For another layout of the dataset, it is always the latter. Cells that start
  /// in the rectangle precede those cut at its start.
  /// `InvalidationContext.contentOffsetAdjustment` of a commit follows the same rule.
  ///
  /// If no visible cell still exists, following and preceding items are tried, first one by one,
  /// then at increasing distances up to the ends of the dataset: more than an anchor contains.
  ///
  /// The offset is clamped to the content, even if the rectangle was already beyond its ends,
  /// for example while a client bounces back.
  ///
  /// With ``OffsetAnchor/end``, the content's end stays at the end of the visible rectangle if it
  /// is there in the other snapshot. Content shorter than the rectangle is at its start.
  ///
  /// - Parameters:
  ///   - visible: The visible rectangle in the other snapshot.
  ///   - earlier: The same layout before changes, or another layout of the dataset.
  ///   - visibleSize: The size of the new visible rectangle; by default that of `visible`.
  ///   - anchor: What keeps its place.
  /// - Returns: `nil` if no cell is visible, or none still exists.
  /// - Complexity: As ``anchor(in:)``, in both snapshots, and O(operations between the two
  ///   revisions), up to 262,144 of them: beyond that, and after an import, no item counts as
  ///   moved.
  public func contentOffset(
    keeping visible: Rect, of earlier: LayoutSnapshot, visibleSize: Size? = nil,
    anchor: OffsetAnchor = .cell
  ) throws -> AnchoredOffset? {
    let visible = visible.bounded
    let candidates = try earlier.anchorCandidates(in: visible, anchor)
    if candidates.visibleCells.isEmpty && !candidates.keepEnd { return nil }
    return try query { state in
      try offset(
        keeping: candidates, moves(since: earlier), visibleSize: visibleSize ?? visible.size,
        in: state.session)
    }.result
  }

  /// Returns the content offset at which an item starts at a distance from the start of the
  /// visible rectangle.
  ///
  /// - Parameters:
  ///   - key: The item's key.
  ///   - distance: The distance along the main axis; negative to cut the item.
  ///   - visibleSize: The size of the new visible rectangle; by default the container's size.
  /// - Returns: `nil` if the dataset has no such item.
  /// - Complexity: O(log items) nodes.
  public func contentOffset(
    placing key: String, at distance: Length, visibleSize: Size? = nil
  ) throws -> AnchoredOffset? {
    guard let frame = try attributes(forKey: key).flatMap(storedCell)?.frame else { return nil }
    return offset(
      key, start: frame.minY, at: distance.bounded, isExact: true,
      visibleSize: visibleSize?.bounded ?? plan.space.oriented(plan.space.container))
  }
}

extension LayoutSnapshot {
  /// The maximum number of cells of an anchor.
  static let anchorCellsMax = 48
  /// The number of neighbours tried one by one, before the distance increases.
  private static let nearNeighbours = 32
  /// The maximum number of visible cells considered.
  private static let visibleCellsMax = 4096

  private func mainLength(of visible: Rect) -> Length { plan.space.oriented(visible.size).height }

  /// Calls `body` with the cells by which a position is restored, in order of preference.
  ///
  /// - Parameter body: Returns whether to continue.
  func forEachAnchorCell(
    in visible: Rect, work: inout QueryWork, _ body: (LayoutAnchor.Cell) throws -> Bool
  ) throws {
    let start = plan.space.canonical(visible, mainLength: mainLength).minY
    let cells = try visibleCells(in: visible, work: &work)
    for cell in cells {
      if try !body(anchorCell(cell, from: start)) { return }
    }
    try forEachNeighbour(of: cells, from: start, work: &work, body)
  }

  /// Returns the visible cells: those that start in a rectangle, then those cut at its start,
  /// each in order.
  func visibleCells(in visible: Rect, work: inout QueryWork) throws -> [StoredCell] {
    let start = plan.space.canonical(visible, mainLength: mainLength).minY
    var whole: [StoredCell] = []
    var cut: [StoredCell] = []
    try forEachCell(in: visible, work: &work) { cell in
      if cell.frame.minY >= start { whole.append(cell) } else { cut.append(cell) }
      return whole.count + cut.count < Self.visibleCellsMax
    }
    return whole + cut
  }

  /// - Parameter start: The start of the visible rectangle along the main axis.
  func anchorCell(_ cell: StoredCell, from start: Length) -> LayoutAnchor.Cell {
    LayoutAnchor.Cell(key: cell.key, start: cell.frame.minY - start, length: cell.frame.size.height)
  }

  /// Calls `body` with items around visible cells, each with the position of the first visible
  /// cell.
  ///
  /// - Parameters:
  ///   - start: The start of the visible rectangle along the main axis.
  ///   - body: Returns whether to continue.
  func forEachNeighbour(
    of cells: [StoredCell], from start: Length, work: inout QueryWork,
    _ body: (LayoutAnchor.Cell) throws -> Bool
  ) throws {
    guard let first = cells.first, let low = cells.map(\.indexPath).min(),
      let high = cells.map(\.indexPath).max()
    else { return }
    let place = anchorCell(first, from: start)
    work =
      work
      + (try forEachNeighbour(of: low, high) { key in
        var cell = place
        cell.key = key
        return try body(cell)
      })
  }

  /// Calls `body` with the keys of items after `high` and before `low`, alternately, at
  /// increasing distances.
  private func forEachNeighbour(
    of low: IndexPath, _ high: IndexPath, _ body: (String) throws -> Bool
  ) throws -> QueryWork {
    try query { state in
      let session = state.session
      func number(_ path: IndexPath) throws -> Int {
        try trees.items(ofSection: path.section, in: session).lowerBound + (path.item ?? 0)
      }
      let (first, last) = (try number(low), try number(high))
      func isEnough(_ number: Int) throws -> Bool {
        let found = try trees.items.place(at: number, in: session)
        return try !body(found.leaf.key(at: found.index))
      }
      // The items at the two ends come last.
      let (roomAfter, roomBefore) = (trees.items.count - 1 - last, first)
      var (passed, distance) = (0, 1)
      while passed < max(roomAfter, roomBefore) {
        if passed < roomAfter, try isEnough(last + min(distance, roomAfter)) { return }
        if passed < roomBefore, try isEnough(first - min(distance, roomBefore)) { return }
        passed = distance
        distance = distance < Self.nearNeighbours ? distance + 1 : distance * 2
      }
    }.work
  }

  /// - Parameter visibleLength: The previous visible length.
  /// - Returns: `nil` if there is no such cell, or if it is hidden.
  func offset(
    keeping cell: LayoutAnchor.Cell, visibleLength: Length, visibleSize: Size?,
    in session: TreeSession
  ) throws -> AnchoredOffset? {
    guard let found = try attributes(forKey: cell.key, in: session), !found.isHidden,
      let frame = storedCell(found)?.frame
    else { return nil }
    let size = visibleSize?.bounded ?? plan.space.oriented(plan.space.container)
    let length = plan.space.oriented(size).height
    // An anchor from a client may be out of bounds.
    var distance = cell.start.bounded
    if distance + frame.size.height <= .zero, cell.length > .zero {
      let least = Length(units: 1) - frame.size.height
      distance = max(least, distance.scaled(by: frame.size.height, of: cell.length))
    } else if distance >= length, visibleLength > .zero {
      distance = distance.scaled(by: length, of: visibleLength)
    }
    return offset(
      cell.key, start: frame.minY, at: distance, isExact: distance == cell.start.bounded,
      visibleSize: size)
  }

  /// - Parameter start: The cell's start along the main axis.
  func offset(
    _ key: String, start: Length, at distance: Length, isExact: Bool, visibleSize: Size
  ) -> AnchoredOffset {
    let size = plan.space.oriented(visibleSize)
    let wanted = start - distance
    let held = held(wanted, visibleLength: size.height)
    // The content's cross length is that of the container.
    let visible = Rect(x: .zero, y: held, width: size.width, height: size.height)
    return AnchoredOffset(
      contentOffset: plan.space.content(visible, mainLength: mainLength).origin, key: key,
      isExact: isExact && held == wanted)
  }
}
