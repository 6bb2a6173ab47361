import CollectionLayout
import LayoutGeometry
import SumTree

// A section whose columns differ too much is placed again in instalments. Where that
// stands is part of what is kept of it, so whoever carries it on comes to the same.

extension WaterfallPlan {
  func isOverdue(_ kept: KeptWaterfall) -> Bool {
    assignment == .stable
      && (kept.rebalance != nil
        || kept.tree.summary.isSkewed(in: self, settledSkew: kept.settledSkew))
  }

  func carryOn(
    _ kept: inout KeptWaterfall, placing itemCountMax: Int, in session: TreeSession
  ) throws -> PlacementChange {
    // Nothing but a damaged file says so of a section that is even.
    guard isOverdue(kept) else { return PlacementChange() }
    var editor = WaterfallEditor(kept.tree, plan: self, in: session)
    var rebalance =
      try kept.rebalance ?? Rebalance(next: editor.firstSkewed(), goesToEnd: false)
    let start = rebalance.next
    let end = start + min(itemCountMax, kept.itemCount - start)
    try editor.placeAnew(start..<end)
    kept.tree = editor.tree
    rebalance.next = end
    let isEven = kept.tree.summary.isEven(in: self)
    settle(&kept, goingOnWith: !rebalance.goesToEnd && isEven ? nil : rebalance)
    var change = editor.change
    change.placedAnew = start..<end
    return change
  }

  /// Places the items from one on again, and leaves those that are too many to later
  /// commits.
  func rebalance(
    _ kept: inout KeptWaterfall, from item: Int, placing itemCountMax: Int,
    in session: TreeSession
  ) throws -> PlacementChange {
    var editor = WaterfallEditor(kept.tree, plan: self, in: session)
    let end = item + min(itemCountMax, kept.itemCount - item)
    try editor.placeAnew(item..<end)
    kept.tree = editor.tree
    // One that goes to the end from further in front comes past here again.
    let present = kept.rebalance.flatMap { $0.goesToEnd && $0.next < item ? $0 : nil }
    settle(&kept, goingOnWith: present ?? Rebalance(next: end, goesToEnd: true))
    var change = editor.change
    change.note(items: item..<kept.itemCount)
    change.placedAnew = item..<end
    return change
  }

  func restore(
    _ changes: ItemHunks, _ kept: inout KeptWaterfall, from past: KeptWaterfall,
    in session: TreeSession
  ) throws -> PlacementChange {
    var editor = WaterfallEditor(kept.tree, plan: self, in: session)
    // From the last, so that none moves those to come.
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
      change.isKept = true
    }
    return change
  }

  /// Notes how a rebalance continues, or, at its end, what it has left.
  private func settle(_ kept: inout KeptWaterfall, goingOnWith rebalance: Rebalance?) {
    kept.rebalance = rebalance.flatMap { $0.next < kept.itemCount ? $0 : nil }
    if kept.rebalance == nil { kept.settledSkew = kept.tree.summary.settledSkew(of: self) }
  }
}
