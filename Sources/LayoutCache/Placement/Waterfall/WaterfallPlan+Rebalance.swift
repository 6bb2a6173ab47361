import CollectionLayout
import LayoutGeometry
import SumTree

// A section whose columns differ too much is placed anew in instalments. Where that
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
    let end = rebalance.next + min(itemCountMax, kept.itemCount - rebalance.next)
    try editor.placeAnew(rebalance.next..<end)
    kept.tree = editor.tree
    rebalance.next = end
    let isEven = kept.tree.summary.isEven(in: self)
    settle(&kept, goingOnWith: !rebalance.goesToEnd && isEven ? nil : rebalance)
    return editor.change
  }

  /// Places the items from one on anew, and leaves those that are too many to later
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
    return change
  }

  /// Notes how a rebalance goes on, or, at its end, what it has left.
  private func settle(_ kept: inout KeptWaterfall, goingOnWith rebalance: Rebalance?) {
    kept.rebalance = rebalance.flatMap { $0.next < kept.itemCount ? $0 : nil }
    if kept.rebalance == nil { kept.settledSkew = kept.tree.summary.settledSkew(of: self) }
  }
}
