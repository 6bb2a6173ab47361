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
      && (kept.rebalance != nil
        || kept.tree.summary.isSkewed(in: self, settledSkew: kept.settledSkew))
  }

  func nextRebalanced(_ kept: StoredWaterfall) -> Int? {
    guard assignment == .stable, let rebalance = kept.rebalance, rebalance.goesToEnd else {
      return nil
    }
    return rebalance.next
  }

  func continueRebalance(
    _ kept: inout StoredWaterfall, placing itemCountMax: Int, in session: TreeSession
  ) throws -> PlacementChange {
    // An even section is marked overdue only in a damaged file.
    guard isOverdue(kept) else { return PlacementChange() }
    var editor = WaterfallEditor(kept.tree, plan: self, in: session)
    let limit = kept.tree.summary.skewMax(of: self)
    if let rebalance = kept.rebalance {
      try place(rebalance, of: &kept, placing: itemCountMax, by: &editor)
    } else if kept.tree.summary.skew(of: self) > 2 * limit {
      // Only batches of many edits have this effect; single corrections would take long.
      let first = try editor.firstSkewed(before: kept.itemCount, above: limit)
      try place(
        Rebalance(next: first, goesToEnd: false), of: &kept, placing: itemCountMax, by: &editor)
    } else {
      try correct(&kept, placing: itemCountMax, by: &editor)
    }
    return editor.change
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

  func correct(
    _ kept: inout StoredWaterfall, at item: Int, placing itemCountMax: Int,
    in session: TreeSession
  ) throws -> PlacementChange? {
    let summary = kept.tree.summary
    let limit = summary.skewMax(of: self)
    // Steps that follow, or are in progress, place these items again. An item over several columns
    // can leave a difference that no placement evens out.
    guard item < kept.itemCount, assignment == .stable, kept.rebalance == nil,
      summary.map.isDiagonal, summary.skew(of: self) <= 2 * limit
    else { return nil }
    var editor = WaterfallEditor(kept.tree, plan: self, in: session)
    let skewMax = RebalanceRules.placeSkewMax(limit: limit) + tolerance.units
    let later = RebalanceRules.laterPlace(than: item, of: kept.itemCount)
    guard let place = try editor.firstSkewed(among: [item, later], above: skewMax) else {
      return nil
    }
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
      guard rest > 0, summary.isSkewed(in: self, settledSkew: kept.settledSkew) else { break }
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
      kept.settledSkew = 0
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
    let present = kept.rebalance.flatMap { $0.goesToEnd && $0.next < item ? $0 : nil }
    settle(&kept, goingOnWith: present ?? Rebalance(next: end, goesToEnd: true))
    var change = editor.change
    change.note(items: item..<kept.itemCount)
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

/// A rebalance of a stable section that later commits continue with.
struct Rebalance: Sendable, Equatable {
  /// The next item to place again; the item count if none is left.
  var next: Int
  /// Whether it continues to the section's end; otherwise it stops once the columns' ends are
  /// even.
  var goesToEnd: Bool

  /// Adjusts ``next`` to an edit: it stays at the same item or, if that is deleted, at the
  /// following one. Items inserted immediately before it are not placed again.
  mutating func follow(_ edit: ItemEdit) {
    if case .change = edit { return }
    let range = edit.range
    if range.upperBound <= next {
      next += edit.newCount - range.count
    } else if range.lowerBound < next {
      next = range.lowerBound + edit.newCount
    }
  }

  // next  varint
  // mode  u8: 0 until the columns' ends are even, 1 to the section's end

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(next)
    writer.writeUInt8(goesToEnd ? 1 : 0)
  }

  /// - Parameter itemCount: The section's item count.
  init(from reader: inout ByteReader, itemCount: Int) throws(ByteError) {
    next = try reader.readCount(limit: itemCount)
    let mode = try reader.readUInt8()
    guard mode <= 1 else { throw reader.malformed("rebalance") }
    goesToEnd = mode == 1
  }

  init(next: Int, goesToEnd: Bool) {
    self.next = next
    self.goesToEnd = goesToEnd
  }
}
