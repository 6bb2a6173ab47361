import CollectionLayout
import LayoutGeometry
import SumTree

// A section whose columns differ too much is placed again in steps. The progress is part of the
// stored section, so every process continues with the same result.

extension WaterfallPlan {
  func isOverdue(_ kept: StoredWaterfall) -> Bool {
    assignment == .stable
      && (kept.rebalance != nil
        || kept.tree.summary.isSkewed(in: self, settledSkew: kept.settledSkew))
  }

  func continueRebalance(
    _ kept: inout StoredWaterfall, placing itemCountMax: Int, in session: TreeSession
  ) throws -> PlacementChange {
    // An even section is marked overdue only in a damaged file.
    guard isOverdue(kept) else { return PlacementChange() }
    var editor = WaterfallEditor(kept.tree, plan: self, in: session)
    var rebalance =
      try kept.rebalance ?? Rebalance(next: editor.firstSkewed(), goesToEnd: false)
    let start = rebalance.next
    let end = start + min(itemCountMax, kept.itemCount - start)
    try editor.placeAgain(start..<end)
    kept.tree = editor.tree
    rebalance.next = end
    let isEven = kept.tree.summary.isEven(in: self)
    settle(&kept, goingOnWith: !rebalance.goesToEnd && isEven ? nil : rebalance)
    var change = editor.change
    change.replaced = start..<end
    return change
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
    let present = kept.rebalance.flatMap { $0.goesToEnd && $0.next < item ? $0 : nil }
    settle(&kept, goingOnWith: present ?? Rebalance(next: end, goesToEnd: true))
    var change = editor.change
    change.note(items: item..<kept.itemCount)
    change.replaced = item..<end
    return change
  }

  func restore(
    _ changes: ItemHunks, _ kept: inout StoredWaterfall, from past: StoredWaterfall,
    in session: TreeSession
  ) throws -> PlacementChange {
    var editor = WaterfallEditor(kept.tree, plan: self, in: session)
    // In reverse order, so that the indices of remaining hunks stay valid.
    for hunk in changes.hunks.reversed() {
      var run = WaterfallLeaf()
      try past.tree.forEachLeaf(overlapping: hunk.new, in: session) { leaf, start in
        let wanted = hunk.new.clamped(to: start..<(start + leaf.count))
        run = run.joined(
          with: leaf.slice((wanted.lowerBound - start)..<(wanted.upperBound - start)))
      }
      try editor.putBack(run, insteadOf: hunk.old)
    }
    kept.tree = editor.tree
    var change = editor.change
    change.items.remove(contentsOf: kept.itemCount..<Int.max)
    if kept.settledSkew != past.settledSkew || kept.rebalance != past.rebalance {
      (kept.settledSkew, kept.rebalance) = (past.settledSkew, past.rebalance)
      change.hasNewContent = true
    }
    return change
  }

  /// Records how a rebalance continues or, at its end, the remaining skew.
  private func settle(_ kept: inout StoredWaterfall, goingOnWith rebalance: Rebalance?) {
    kept.rebalance = rebalance.flatMap { $0.next < kept.itemCount ? $0 : nil }
    if kept.rebalance == nil { kept.settledSkew = kept.tree.summary.settledSkew(of: self) }
  }
}
