import CollectionLayout
import LayoutGeometry
import SumTree

/// The state of updating an exact section after changes of its items. From each hunk on, items
/// are placed again until the columns are as before, except for a shift of all. From there to
/// the next hunk each item would choose its existing column.
///
/// One pass over the section; no item is placed twice.
struct WaterfallReflow {
  private(set) var tree: SumTree<WaterfallLeaf>
  private(set) var change = PlacementChange()
  private let plan: WaterfallPlan
  private let changes: ItemHunks
  private let session: TreeSession
  private var items: SectionItems
  /// The section before the changes.
  private var old: SectionStates

  init(
    _ plan: WaterfallPlan, _ tree: SumTree<WaterfallLeaf>, _ items: SectionItems,
    _ changes: ItemHunks
  ) {
    self.plan = plan
    self.tree = tree
    self.items = items
    self.changes = changes
    session = items.session
    old = SectionStates(tree, plan: plan, in: session)
    change.hasNewContent = false
  }

  mutating func run() throws {
    // The new state, while it differs from the old one.
    var unlike: WaterfallPlacement?
    for (index, hunk) in changes.hunks.enumerated() {
      let start = try unlike ?? state(before: hunk.new.lowerBound)
      let isLast = index + 1 == changes.hunks.count
      let next = isLast ? changes.count : changes.hunks[index + 1].new.lowerBound
      var replay = try place(hunk, after: start)
      let placingMax = items.placingMax
      let end = try tree.placeAgain(hunk.new.upperBound..<next, by: &replay, in: session) {
        guard $0.count <= placingMax else { throw ExceedsCommit() }
        return $0.new.isShifted(from: $0.old)
      }
      items.placingMax -= replay.count
      change.note(replay)
      if changes.shift(after: index) != 0 { change.note(items: hunk.new.upperBound..<next) }
      unlike = end == next ? replay.new : nil
      if unlike == nil { try noteShift(from: end, to: next, after: index, replay) }
    }
  }

  /// Returns the state before an item whose predecessors are all placed.
  private func state(before item: Int) throws -> WaterfallPlacement {
    var states = SectionStates(tree, plan: plan, in: session)
    return try states.placement(before: item)
  }

  /// Places the items of a hunk, replacing the old ones.
  ///
  /// - Returns: The replay of the items after them.
  private mutating func place(
    _ hunk: ItemHunks.Hunk, after start: WaterfallPlacement
  ) throws -> WaterfallReplay {
    let oldStart = try old.placement(before: hunk.old.lowerBound)
    let oldEnd = hunk.old.isEmpty ? oldStart : try old.placement(before: hunk.old.upperBound)
    var end = start
    var run = WaterfallLeaf()
    for index in hunk.new {
      let item = plan.measure(try items.item(at: index))
      let column = try end.place(length: item.length, columnSpan: item.columnSpan)
      run.append(
        column: column, columnSpan: item.columnSpan, advance: item.length + plan.lineSpacing)
    }
    change.recomputedItems += run.count
    let first = hunk.new.lowerBound
    try put(run, insteadOf: first..<(first + hunk.old.count))
    change.note(items: hunk.new)
    change.note(from: oldStart, to: oldEnd, lineSpacing: plan.lineSpacing)
    change.note(from: start, to: end, lineSpacing: plan.lineSpacing)
    return WaterfallReplay(after: end, instead: oldEnd, lineSpacing: plan.lineSpacing)
  }

  /// Replaces items with placed ones. If the count stays the same, unchanged leaves are kept.
  private mutating func put(_ run: WaterfallLeaf, insteadOf range: Range<Int>) throws {
    guard run.count == range.count else {
      change.hasNewContent = true
      try tree.replaceSubrange(range, with: run, in: session)
      return
    }
    try tree.updateLeaves(overlapping: range, in: session) { leaf, start, _ in
      let part = range.clamped(to: start..<(start + leaf.count))
      let (first, end) = (part.lowerBound - range.lowerBound, part.upperBound - range.lowerBound)
      let placed = leaf.slice(0..<(part.lowerBound - start))
        .joined(with: run.slice(first..<end))
        .joined(with: leaf.slice((part.upperBound - start)..<leaf.count))
      if placed == leaf { return false }
      leaf = placed
      change.hasNewContent = true
      return true
    }
  }

  /// Records that the items of a range have moved with their columns.
  ///
  /// - Parameters:
  ///   - hunk: The last hunk before the range.
  ///   - replay: The replay before the range.
  private mutating func noteShift(
    from item: Int, to end: Int, after hunk: Int, _ replay: WaterfallReplay
  ) throws {
    let shift = replay.new.positions[0] - replay.old.positions[0]
    if shift == .zero || item == end { return }
    change.note(items: item..<end)
    change.columns.insert(0..<plan.tracks.count)
    let oldEnd = try old.placement(before: end - changes.shift(after: hunk))
    let start = replay.old.positions.min() ?? .zero
    let last = oldEnd.contentLength
    change.note(interval: (start + min(shift, .zero)).units..<(last + max(shift, .zero)).units)
  }
}

extension PlacementChange {
  /// Records the area between two states of the columns.
  fileprivate mutating func note(
    from start: WaterfallPlacement, to end: WaterfallPlacement, lineSpacing: Length
  ) {
    for column in start.positions.indices where start.positions[column] != end.positions[column] {
      columns.insert(column..<(column + 1))
      let first = start.positions[column].units
      note(interval: first..<max(first, (end.positions[column] - lineSpacing).units))
    }
  }

  /// Records the effects of a replay.
  mutating func note(_ replay: WaterfallReplay) {
    recomputedItems += replay.count
    if replay.hasNewColumns { hasNewContent = true }
    note(replay.moves)
  }
}
