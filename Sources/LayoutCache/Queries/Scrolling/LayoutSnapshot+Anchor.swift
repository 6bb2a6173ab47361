import CollectionLayout
public import LayoutGeometry
import SumTree

extension LayoutSnapshot {
  /// Where a reader is who sees a rectangle.
  ///
  /// - Parameter visible: What is visible, in the content.
  /// - Returns: `nil` where no cell is visible.
  /// - Complexity: As a query for the rectangle, and O(log items) nodes for each of some
  ///   dozens of neighbours.
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

  /// The content offset here at which an anchor's cell is where it was: after changes, in
  /// another layout, on a phone that has been turned.
  ///
  ///     let place = try cache.read(phone) { try $0.anchor(in: visible) }
  ///     let offset = try cache.read(wide) { try $0.contentOffset(keeping: place!) }
  ///
  /// - Parameters:
  ///   - anchor: From any snapshot of the dataset.
  ///   - visibleSize: The size of what is to be visible; the container's where left out.
  /// - Returns: `nil` where the dataset has none of the anchor's cells.
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

  /// The content offset here at which a cell that a rectangle of another snapshot shows is where
  /// it is there.
  ///
  /// Of the same layout before changes, that is the first visible cell that these have left
  /// alone: which was not inserted or moved by an operation, and has the natural size, the span
  /// and the measured length that it had; other data don't matter. Without any it is the first
  /// visible one that is left. Of another layout of the dataset, it is that in any case. Cells
  /// that start in the rectangle come before those that are cut at its start. What a commit says
  /// in `InvalidationContext.contentOffsetAdjustment` is by the same rule.
  ///
  /// Where no visible cell is left, items after and before them are tried, one by one at
  /// first and then in ever greater steps up to the dataset's two ends: more than an anchor
  /// holds.
  ///
  /// The offset never leads beyond the content's start or end, and where the rectangle is beyond
  /// already, as while a client lets it spring back, it leads to that end.
  ///
  /// - Parameters:
  ///   - visible: What is visible in the other snapshot.
  ///   - earlier: The same layout before changes, or another layout of the dataset.
  ///   - visibleSize: The size of what is to be visible here; the same as there where left out.
  /// - Returns: `nil` where no cell is visible, or none is left.
  /// - Complexity: As ``anchor(in:)``, there and here, and O(operations between the two
  ///   revisions), up to 262,144 of them: with more, and after an import, nothing is known to
  ///   have moved.
  public func contentOffset(
    keeping visible: Rect, of earlier: LayoutSnapshot, visibleSize: Size? = nil
  ) throws -> AnchoredOffset? {
    let visible = visible.bounded
    let candidates = try earlier.anchorCandidates(in: visible)
    if candidates.visibleCells.isEmpty { return nil }
    return try query { state in
      try offset(
        keeping: candidates, moves(since: earlier), visibleSize: visibleSize ?? visible.size,
        in: state.session)
    }.result
  }

  /// The content offset at which an item starts a distance after the start of what is visible.
  ///
  /// - Parameters:
  ///   - key: The item's key.
  ///   - distance: Along the main axis; below zero where the item is to be cut.
  ///   - visibleSize: The size of what is to be visible; the container's where left out.
  /// - Returns: `nil` where the dataset has no such item.
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
  /// The elements whose position an anchor preserves.
  static let anchorCellsMax = 48
  /// How many neighbours are looked at one by one, before ever more are passed over.
  private static let nearNeighbours = 32
  /// How many visible cells are looked at.
  private static let visibleCellsMax = 4096

  private func mainLength(of visible: Rect) -> Length { plan.space.oriented(visible.size).height }

  /// Calls `body` with the cells by which a place is found again, the best first.
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

  /// The visible cells: those that start in a rectangle, then those that are cut at its start,
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

  /// - Parameter start: Where what is visible starts along the main axis.
  func anchorCell(_ cell: StoredCell, from start: Length) -> LayoutAnchor.Cell {
    LayoutAnchor.Cell(
      key: cell.key, start: cell.frame.minY - start, length: cell.frame.size.height)
  }

  /// Calls `body` with items around visible cells, each in the place of the first of these.
  ///
  /// - Parameters:
  ///   - start: Where what is visible starts along the main axis.
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

  /// Calls `body` with the keys of items after one place and before another, alternately, and
  /// ever farther away.
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
      // Those at the two ends at last.
      let (roomBehind, roomBefore) = (trees.items.count - 1 - last, first)
      var (passed, distance) = (0, 1)
      while passed < max(roomBehind, roomBefore) {
        if passed < roomBehind, try isEnough(last + min(distance, roomBehind)) { return }
        if passed < roomBefore, try isEnough(first - min(distance, roomBefore)) { return }
        passed = distance
        distance = distance < Self.nearNeighbours ? distance + 1 : distance * 2
      }
    }.work
  }

  /// - Parameter visibleLength: How much was visible.
  func offset(
    keeping cell: LayoutAnchor.Cell, visibleLength: Length, visibleSize: Size?,
    in session: TreeSession
  ) throws -> AnchoredOffset? {
    guard
      let frame = try attributes(forKey: cell.key, in: session).flatMap(storedCell)?.frame
    else { return nil }
    let size = visibleSize?.bounded ?? plan.space.oriented(plan.space.container)
    let length = plan.space.oriented(size).height
    // An anchor may come from a client.
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

  /// - Parameter start: Where the cell starts along the main axis.
  private func offset(
    _ key: String, start: Length, at distance: Length, isExact: Bool, visibleSize: Size
  ) -> AnchoredOffset {
    let size = plan.space.oriented(visibleSize)
    let wanted = start - distance
    let held = held(wanted, visibleLength: size.height)
    // Across, all of the content is as wide as the container.
    let visible = Rect(x: .zero, y: held, width: size.width, height: size.height)
    return AnchoredOffset(
      contentOffset: plan.space.content(visible, mainLength: mainLength).origin, key: key,
      isExact: isExact && held == wanted)
  }
}
