import CollectionLayout
import LayoutGeometry
import SumTree

// Columns that differ too much, at the section's end or where it was edited, are corrected by a few
// items: the later items keep their columns and shift with them. Where that does not help, the
// section is placed again in steps, whose progress is stored with it. So every process gets the
// same result.

extension WaterfallPlan {
  func isOverdue(_ kept: StoredWaterfall) -> Bool {
    assignment == .stable
      && (kept.state.rebalance != nil
        || kept.tree.summary.isSkewed(in: self, settledSkew: kept.state.settledSkew))
  }

  func nextRebalanced(_ kept: StoredWaterfall) -> Int? {
    guard assignment == .stable, let rebalance = kept.state.rebalance, rebalance.goesToEnd else {
      return nil
    }
    return rebalance.next
  }

  /// Continues the rebalance of a section that edits have made too uneven.
  ///
  /// - Parameter itemCountMax: The maximum number of items to place again, at least 1.
  func continueRebalance(
    _ kept: inout StoredWaterfall, placing itemCountMax: Int, in session: TreeSession
  ) throws -> PlacementChange {
    // An even section is marked overdue only in a damaged file. The mark is removed.
    guard isOverdue(kept) else { return PlacementChange() }
    let before = kept.state
    var editor = WaterfallEditor(kept.tree, plan: self, in: session)
    let limit = kept.tree.summary.skewMax(of: self)
    if let rebalance = kept.state.rebalance {
      try place(rebalance, of: &kept, placing: itemCountMax, by: &editor)
    } else if kept.tree.summary.skew(of: self) > 2 * limit {
      // Only batches of many edits have this effect; single corrections would take long.
      let first = try editor.firstSkewed(before: kept.itemCount, above: limit)
      try place(
        Rebalance(next: first, goesToEnd: false), of: &kept, placing: itemCountMax, by: &editor)
    } else {
      try correct(&kept, placing: itemCountMax, by: &editor)
    }
    var change = editor.change
    if kept.state != before { change.formerState = before }
    return change
  }

  /// Continues a rebalance by the given number of items.
  private func place(
    _ rebalance: Rebalance, of kept: inout StoredWaterfall, placing itemCountMax: Int,
    by editor: inout WaterfallEditor
  ) throws {
    var rebalance = rebalance
    let end = rebalance.next + min(itemCountMax, kept.itemCount - rebalance.next)
    try editor.placeAgain(rebalance.next..<end)
    kept.tree = editor.tree
    rebalance.next = end
    let isEven = kept.tree.summary.isEven(in: self)
    settle(&kept, goingOnWith: !rebalance.goesToEnd && isEven ? nil : rebalance)
  }

  /// Corrects a section at the place of a commit's edits, if they have made it too uneven there.
  ///
  /// - Parameters:
  ///   - item: The index of the item before which all edits are.
  ///   - itemCountMax: As for ``continueRebalance(_:placing:in:)``.
  func correct(
    _ kept: inout StoredWaterfall, at item: Int, placing itemCountMax: Int,
    in session: TreeSession
  ) throws -> PlacementChange {
    let summary = kept.tree.summary
    let limit = summary.skewMax(of: self)
    // Steps that follow, or are in progress, place these items again. An item over several columns
    // can leave a difference that no placement evens out.
    guard item < kept.itemCount, assignment == .stable, kept.state.rebalance == nil,
      summary.map.isDiagonal, summary.skew(of: self) <= 2 * limit
    else { return PlacementChange(hasNewContent: false) }
    var editor = WaterfallEditor(kept.tree, plan: self, in: session)
    let skewMax = RebalanceRules.placeSkewMax(limit: limit) + tolerance.units
    let later = RebalanceRules.laterPlace(than: item, of: kept.itemCount)
    guard let place = try editor.firstSkewed(among: [item, later], above: skewMax)
    else { return PlacementChange(hasNewContent: false) }
    var rest = min(itemCountMax, RebalanceRules.placeItemsMax)
    for _ in 0..<RebalanceRules.placeCorrectionsMax where rest > 0 {
      let placed = try editor.correct(before: place, to: limit + tolerance.units, placing: rest)
      rest -= placed.count
      guard placed.hasHelped, try editor.firstSkewed(among: [place], above: skewMax) != nil
      else { break }
    }
    kept.tree = editor.tree
    return editor.change
  }

  /// Corrects a section whose columns' ends differ too much.
  private func correct(
    _ kept: inout StoredWaterfall, placing itemCountMax: Int, by editor: inout WaterfallEditor
  ) throws {
    var rest = itemCountMax
    let limit = kept.tree.summary.skewMax(of: self)
    var unfinished: Rebalance?
    for _ in 0..<RebalanceRules.correctionsMax {
      let summary = editor.tree.summary
      guard rest > 0, summary.isSkewed(in: self, settledSkew: kept.state.settledSkew) else { break }
      let placed = try editor.correct(before: kept.itemCount, to: limit, placing: rest)
      rest -= placed.count
      if placed.hasHelped { continue }
      unfinished = Rebalance(next: placed.end, goesToEnd: false)
      break
    }
    kept.tree = editor.tree
    if let unfinished {
      settle(&kept, goingOnWith: unfinished)
    } else if kept.tree.summary.settledSkew(of: self) == 0 {
      kept.state.settledSkew = 0
    }
  }

  /// Places the items from an index on again, up to `itemCountMax`, and leaves the rest to
  /// later commits.
  func rebalance(
    _ kept: inout StoredWaterfall, from item: Int, placing itemCountMax: Int,
    in session: TreeSession
  ) throws -> PlacementChange {
    var editor = WaterfallEditor(kept.tree, plan: self, in: session)
    let end = item + min(itemCountMax, kept.itemCount - item)
    try editor.placeAgain(item..<end)
    kept.tree = editor.tree
    // A rebalance to the end that is still before these items will reach them again.
    let present = kept.state.rebalance.flatMap { $0.goesToEnd && $0.next < item ? $0 : nil }
    settle(&kept, goingOnWith: present ?? Rebalance(next: end, goesToEnd: true))
    var change = editor.change
    change.note(items: item..<kept.itemCount)
    return change
  }

  /// Moves items to their previous columns, given by the first of each.
  ///
  /// - Throws: As an edit; ``Damage`` for invalid items or columns.
  /// - Complexity: O(log items) nodes, and those of the items.
  func move(
    _ range: Range<Int>, to columns: [UInt8], _ kept: inout StoredWaterfall,
    in session: TreeSession
  ) throws -> PlacementChange {
    guard range.upperBound <= kept.itemCount else { throw UndoRecord.doesNotFit }
    var editor = WaterfallEditor(kept.tree, plan: self, in: session)
    try editor.move(range, to: columns)
    kept.tree = editor.tree
    return editor.change
  }

  /// Restores the previous state of rebalances.
  ///
  /// - Throws: ``Damage`` if it does not fit.
  func restore(_ state: RebalanceState, _ kept: inout StoredWaterfall) throws -> PlacementChange {
    guard state.rebalance?.next ?? 0 <= kept.itemCount else { throw UndoRecord.doesNotFit }
    var change = PlacementChange()
    change.hasNewContent = kept.state != state
    if change.hasNewContent { change.formerState = kept.state }
    kept.state = state
    return change
  }

  /// Records how a rebalance continues or, at its end, the remaining skew.
  private func settle(_ kept: inout StoredWaterfall, goingOnWith rebalance: Rebalance?) {
    kept.state.rebalance = rebalance.flatMap { $0.next < kept.itemCount ? $0 : nil }
    if kept.state.rebalance == nil {
      kept.state.settledSkew = kept.tree.summary.settledSkew(of: self)
    }
  }
}
