import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

// The common rule for `contentOffset(keeping:of:)` and `contentOffsetAdjustment`: of the
// visible cells, first those that start within the rectangle and then those that are cut, the
// first one that the changes left alone; if there is none, the first one that still exists.

/// The cells that a client sees before changes. One of them keeps its position.
struct AnchorCandidates: Sendable {
  struct Candidate: Sendable {
    var cell: LayoutAnchor.Cell
    /// The index of the cell's section.
    var section: Int
  }

  /// The visible cells in order of preference.
  var visibleCells: [Candidate]
  /// The visible rectangle, in the content.
  var visible: Rect
  /// The visible rectangle's start and length along the main axis of its layout.
  var visibleStart: Length
  var visibleLength: Length
  /// Whether the content's end is in sight and keeps its position, instead of a cell.
  var keepEnd: Bool
  /// Returns the measures of a visible cell's item before the changes.
  var measures: @Sendable (Candidate) throws -> ItemMeasures?
  /// Calls its argument with substitutes for the first cell, until that returns `false`.
  var forEachNeighbour: @Sendable ((LayoutAnchor.Cell) throws -> Bool) throws -> Void
}

/// The values of an item that determine its cell's size in a layout.
struct ItemMeasures: Equatable {
  var size: Size
  var columnSpan: Int
  var preferred: Length?
  var preferredAcross: Length?

  init(of leaf: ItemLeaf, at index: Int, layout: Int64) {
    size = leaf.size(at: index)
    columnSpan = leaf.columnSpan(at: index)
    let preferred = leaf.preferredLength(at: index, layout: layout)
    self.preferred = preferred?.length
    preferredAcross = preferred?.crossLength
  }
}

/// The items that operations have inserted or moved.
struct ItemMoves {
  private var keys: Set<ExactKey> = []
  /// The moved sections, by index in the candidates' list.
  private var sections: Set<Int> = []

  static let none = ItemMoves()

  private init() {}

  /// - Parameter isBackward: Whether the candidates are from the later state.
  init(_ updates: DatasetUpdates, isBackward: Bool = false) {
    for item in updates.items where item.operation == .insert || item.operation == .move {
      keys.insert(ExactKey(item.key))
    }
    for section in updates.sections where section.operation == .move {
      if let index = isBackward ? section.after : section.before { sections.insert(index) }
    }
  }

  func contains(_ candidate: AnchorCandidates.Candidate) -> Bool {
    if keys.isEmpty && sections.isEmpty { return false }
    return sections.contains(candidate.section) || keys.contains(ExactKey(candidate.cell.key))
  }
}

extension LayoutSnapshot {
  /// Returns the visible cells, by which a client's position is restored after changes.
  ///
  /// The result reads the snapshot's nodes when used.
  func anchorCandidates(
    in visible: Rect, _ anchor: OffsetAnchor = .cell
  ) throws -> AnchorCandidates {
    let visible = visible.bounded
    var work = QueryWork.none
    let cells = try visibleCells(in: visible, work: &work)
    let canonical = plan.space.canonical(visible, mainLength: mainLength)
    let start = canonical.minY
    return AnchorCandidates(
      visibleCells: cells.map {
        AnchorCandidates.Candidate(cell: anchorCell($0, from: start), section: $0.indexPath.section)
      },
      visible: visible, visibleStart: start, visibleLength: canonical.size.height,
      // Scroll positions of browsers and screens are rounded to pixels.
      keepEnd: anchor == .end && canonical.maxY > mainLength - Length(1),
      measures: { candidate in
        try self.query { try self.measures(ofKey: candidate.cell.key, in: $0.session) }.result
      },
      forEachNeighbour: { body in
        var work = QueryWork.none
        try self.forEachNeighbour(of: cells, from: start, work: &work, body)
      })
  }

  /// Returns the items that operations have moved between this snapshot and another, earlier or
  /// later one.
  ///
  /// - Returns: `nil` for another layout or another history; ``ItemMoves/none`` if the log does
  ///   not contain the changes.
  func moves(since other: LayoutSnapshot) throws -> ItemMoves? {
    guard layout == other.layout, datasetID == other.datasetID,
      datasetIncarnation == other.datasetIncarnation
    else { return nil }
    if revision == other.revision { return ItemMoves.none }
    let updates = try withFile {
      try $0.updates(
        since: min(revision, other.revision),
        upTo: try $0.logHead(of: datasetID, at: max(revision, other.revision)),
        operationsMax: Budgets.composedOperations)
    }
    return ItemMoves(updates, isBackward: other.revision > revision)
  }

  /// Returns the content offset at which the best of some candidates keeps its position.
  ///
  /// - Parameters:
  ///   - moves: The items moved by operations since then; `nil` to use the first existing cell.
  ///   - visibleSize: The size of the new visible rectangle.
  ///   - session: A session that reads this snapshot's nodes.
  /// - Returns: `nil` if the dataset has none of the cells.
  func offset(
    keeping candidates: AnchorCandidates, _ moves: ItemMoves?, visibleSize: Size,
    in session: TreeSession
  ) throws -> AnchoredOffset? {
    func offset(keeping cell: LayoutAnchor.Cell) throws -> AnchoredOffset? {
      try self.offset(
        keeping: cell, visibleLength: candidates.visibleLength, visibleSize: visibleSize,
        in: session)
    }
    if candidates.keepEnd, trees.items.count > 0 {
      let last = try trees.items.place(at: trees.items.count - 1, in: session)
      return self.offset(
        last.leaf.key(at: last.index), start: mainLength,
        at: plan.space.oriented(visibleSize).height, isExact: true, visibleSize: visibleSize)
    }
    var kept: AnchoredOffset?
    for candidate in candidates.visibleCells {
      guard let present = try measures(ofKey: candidate.cell.key, in: session) else { continue }
      let isLeftAlone =
        try moves.map { try !$0.contains(candidate) && candidates.measures(candidate) == present }
        ?? true
      if !isLeftAlone && kept != nil { continue }
      guard let found = try offset(keeping: candidate.cell) else { continue }
      if isLeftAlone { return found }
      kept = found
    }
    if kept != nil { return kept }
    try candidates.forEachNeighbour { cell in
      kept = try offset(keeping: cell)
      return kept == nil
    }
    return kept
  }

  /// Returns the change of the content offset that keeps a visible cell, or the content's end, in
  /// its position.
  ///
  /// - Parameters:
  ///   - candidates: The cells visible before the changes.
  ///   - moves: The items moved by operations since then.
  ///   - session: A session that reads this snapshot's nodes.
  /// - Returns: The adjustment; if no cell exists any longer, the one that clamps the offset to
  ///   the content.
  func contentOffsetAdjustment(
    keeping candidates: AnchorCandidates, _ moves: ItemMoves, in session: TreeSession
  ) throws -> Point {
    let visible = candidates.visible
    let kept = try offset(keeping: candidates, moves, visibleSize: visible.size, in: session)
    let origin = kept?.contentOffset ?? held(candidates)
    return switch plan.space.scrollAxis {
    case .vertical: Point(x: .zero, y: origin.y - visible.minY)
    case .horizontal: Point(x: origin.x - visible.minX, y: .zero)
    }
  }

  /// Returns the origin of the visible rectangle clamped to the content, or at its end.
  private func held(_ candidates: AnchorCandidates) -> Point {
    var canonical = plan.space.canonical(candidates.visible, mainLength: mainLength)
    let start = candidates.keepEnd ? mainLength : candidates.visibleStart
    canonical.origin.y = held(start, visibleLength: canonical.size.height)
    return plan.space.content(canonical, mainLength: mainLength).origin
  }

  /// Returns an offset along the main axis clamped to the content.
  func held(_ offset: Length, visibleLength: Length) -> Length {
    max(.zero, min(offset, lastOffset(visibleLength: visibleLength)))
  }

  private func measures(ofKey key: String, in session: TreeSession) throws -> ItemMeasures? {
    try trees.item(ofKey: key, in: session).map {
      ItemMeasures(of: $0.leaf, at: $0.index, layout: view.layout)
    }
  }
}

extension AnchorCandidates {
  /// Returns the candidates with their measures and neighbours in memory, for use after the
  /// snapshot's nodes are deleted.
  ///
  /// - Complexity: O(log items) nodes for each visible cell, and for each of a few dozen
  ///   neighbours.
  func captured() throws -> AnchorCandidates {
    var measures: [ExactKey: ItemMeasures] = [:]
    for candidate in visibleCells {
      measures[ExactKey(candidate.cell.key)] = try self.measures(candidate)
    }
    var neighbours: [LayoutAnchor.Cell] = []
    try forEachNeighbour { cell in
      neighbours.append(cell)
      return neighbours.count < LayoutSnapshot.anchorCellsMax
    }
    var captured = self
    captured.measures = { [measures] in measures[ExactKey($0.cell.key)] }
    captured.forEachNeighbour = { [neighbours] body in
      for cell in neighbours { if try !body(cell) { return } }
    }
    return captured
  }
}
