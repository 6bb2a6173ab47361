import CollectionLayout
import LayoutGeometry
import SumTree

/// Edits a stable waterfall section's placed items.
///
/// Everything is one edit: items of a range give way to others. The columns' next
/// positions before the range are known from the tree; behind it there are two
/// states, the one that was and the one that is. Later items keep their columns, so
/// their leaves stay as they are, and the tree's products move them.
struct WaterfallEditor {
  private(set) var tree: SumTree<WaterfallLeaf>
  private(set) var change = PlacementChange()
  private let plan: WaterfallPlan
  private let session: TreeSession

  init(_ tree: SumTree<WaterfallLeaf>, plan: WaterfallPlan, in session: TreeSession) {
    self.tree = tree
    self.plan = plan
    self.session = session
    change.isKept = false
  }

  /// Puts items, which choose their columns, before the one at an index.
  ///
  /// - Throws: `LimitError` where the content would become too long.
  mutating func insert(_ items: [MeasuredItem], at index: Int) throws {
    try replace(index..<index, with: items, keepingColumn: nil)
  }

  /// Takes the items of a range out.
  mutating func delete(_ range: Range<Int>) throws {
    try replace(range, with: [], keepingColumn: nil)
  }

  /// Gives an item another length; it keeps its column unless it covers another number
  /// of columns than before.
  ///
  /// - Throws: As ``insert(_:at:)``.
  mutating func change(at index: Int, to item: MeasuredItem) throws {
    let found = try tree.place(at: index, in: session)
    let old = found.leaf.columnRange(at: found.index)
    let keeps = old.count == item.columnSpan
    if keeps, found.leaf.advances[found.index] == (item.length + plan.lineSpacing).units {
      change.recomputedItems += 1
      return change.note(items: index..<(index + 1))
    }
    try replace(
      index..<(index + 1), with: [item], keepingColumn: keeps ? old.lowerBound : nil)
  }

  /// Places the items from one on anew.
  mutating func rebalance(from index: Int) throws {
    change.note(items: index..<max(index, tree.count))
    change.isKept = true
    guard index < tree.count else { return }
    var states = SectionStates(tree, plan: plan, in: session)
    let before = try states.placement(before: index)
    try placeAnew(from: index, after: before, instead: before, until: .end)
  }

  /// Evens out a stable section whose columns differ by more than they may: from a
  /// place where they begin to, items are placed anew until the columns' ends differ
  /// by no more than the longest item and half the skew that is configured.
  ///
  /// The place is searched by halves: the first, unless the columns even out and
  /// differ again. Both ends cost O(log items), not O(items): in a long section
  /// whose items change at random places this happens every some dozen edits.
  ///
  /// - Returns: What the placement could not even out.
  /// - Precondition: The section is to be evened out.
  mutating func evenOut() throws -> Int64 {
    change.isKept = true
    let skewMax = tree.summary.skewMax(of: plan)
    var states = SectionStates(tree, plan: plan, in: session)
    var range = 0..<tree.count
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      let isSkewed = try WaterfallSummary.skew(of: states.positions(before: middle)) > skewMax
      range = isSkewed ? range.lowerBound..<middle : middle..<range.upperBound
    }
    let first = range.lowerBound
    let before = try states.placement(before: first)
    try placeAnew(
      from: first, after: before, instead: before,
      until: .even(within: skewMax - plan.maximumSkew.units / 2))
    return tree.summary.settledSkew(of: plan)
  }

  // MARK: - The one edit

  private mutating func replace(
    _ range: Range<Int>, with items: [MeasuredItem], keepingColumn column: Int?
  ) throws {
    if range.isEmpty && items.isEmpty { return }
    var states = SectionStates(tree, plan: plan, in: session)
    let before = try states.placement(before: range.lowerBound)
    let old = range.isEmpty ? before : try states.placement(before: range.upperBound)
    var new = before
    var run = WaterfallLeaf()
    for item in items {
      let first: Int
      if let column {
        try new.advance(column: column, columnSpan: item.columnSpan, length: item.length)
        first = column
      } else {
        first = try new.place(length: item.length, columnSpan: item.columnSpan)
      }
      run.append(
        column: first, columnSpan: item.columnSpan, advance: item.length + plan.lineSpacing)
    }
    change.recomputedItems += items.count
    let summary = tree.summary
    change.isKept = true
    if range.count == 1 && items.count == 1 {
      try tree.updateLeaf(containing: range.lowerBound, in: session) { leaf, start in
        leaf.replace(at: range.lowerBound - start, with: run)
      }
    } else {
      try tree.replaceSubrange(range, with: run, in: session)
    }

    // What the two states passed differently is what came, went or changed.
    var columns = ColumnSet()
    var (start, end) = (Int64.max, Int64.min)
    for c in 0..<plan.tracks.count
    where before.positions[c] != old.positions[c] || before.positions[c] != new.positions[c] {
      columns.insert(c)
      start = min(start, before.positions[c].units)
      end = max(end, old.positions[c].units, new.positions[c].units)
    }
    change.note(interval: start..<max(start, end - plan.lineSpacing.units))
    let next = range.lowerBound + items.count
    let isShifted = old.positions != new.positions
    change.note(
      items: isShifted || range.count != items.count
        ? range.lowerBound..<tree.count : range)
    if !isShifted { return change.columns.formUnion(columns) }
    try noteShift(columns, from: next, start: start, before: summary)
  }

  /// Notes that the items of some columns, and of those tied to them, have moved.
  private mutating func noteShift(
    _ columns: ColumnSet, from item: Int, start: Int64, before summary: WaterfallSummary
  ) throws {
    let columns = try tree.columns(tiedTo: columns, from: item, in: session)
    change.columns.formUnion(columns)
    let (before, behind) = (summary.positions(of: plan), tree.summary.positions(of: plan))
    var end = start
    columns.forEachColumn { end = max(end, before[$0], behind[$0]) }
    change.note(interval: start..<max(start, end - plan.lineSpacing.units))
  }

  /// Where a placement may end before the section does.
  private enum Stop {
    case end
    /// Where the columns' ends would differ by no more than a length, in units, with
    /// the items behind left in their columns. That is looked at after 1, 2, 4, 8 …
    /// items.
    case even(within: Int64)
  }

  /// Places the items from one on anew.
  ///
  /// - Parameters:
  ///   - new: The state before the first of them.
  ///   - old: The state in which their present columns were chosen.
  private mutating func placeAnew(
    from first: Int, after new: WaterfallPlacement, instead old: WaterfallPlacement,
    until stop: Stop
  ) throws {
    guard first < tree.count else { return }
    let version = tree
    var replay = WaterfallReplay(after: new, instead: old, lineSpacing: plan.lineSpacing)
    defer { change.note(replay) }
    let session = session
    let end = try tree.placeAnew(first..<tree.count, by: &replay, in: session) { replay in
      guard case .even(let skewMax) = stop, replay.count > 0,
        replay.count & (replay.count - 1) == 0
      else { return false }
      var end = ColumnPositions(replay.new.positions.map(\.units))
      try version.fold((first + replay.count)..<version.count, into: &end, in: session)
      return WaterfallSummary.skew(of: end.positions) <= skewMax
    }
    if end < tree.count { try noteRest(from: end, replay, before: version.summary) }
  }

  /// Notes that the items from one on keep their columns and have moved with them.
  private mutating func noteRest(
    from item: Int, _ replay: WaterfallReplay, before summary: WaterfallSummary
  ) throws {
    let (old, new) = (replay.old.positions, replay.new.positions)
    var columns = ColumnSet()
    var start = Int64.max
    for c in 0..<plan.tracks.count where old[c] != new[c] {
      columns.insert(c)
      start = min(start, old[c].units, new[c].units)
    }
    if columns.isEmpty { return }
    change.note(items: item..<tree.count)
    try noteShift(columns, from: item, start: start, before: summary)
  }
}
