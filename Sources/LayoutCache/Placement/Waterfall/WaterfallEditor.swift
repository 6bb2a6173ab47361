import CollectionLayout
import LayoutGeometry
import SumTree

/// Edits a stable waterfall section's placed items.
///
/// Every operation is one edit: the replacement of a range of items. The columns' next positions
/// before the range are known from the tree; after the range there are two states, the old and
/// the new one. Later items keep their columns, so their leaves stay unchanged, and the tree's
/// products move them.
struct WaterfallEditor {
  private(set) var tree: SumTree<WaterfallLeaf>
  private(set) var change = PlacementChange()
  private let plan: WaterfallPlan
  private let session: TreeSession

  init(_ tree: SumTree<WaterfallLeaf>, plan: WaterfallPlan, in session: TreeSession) {
    self.tree = tree
    self.plan = plan
    self.session = session
    change.hasNewContent = false
  }

  /// Inserts items before the one at an index.
  ///
  /// - Parameter columns: The items' first columns are the last of them; `nil` if they choose.
  /// - Throws: `LimitError` if the content would be too long.
  mutating func insert(
    _ items: [MeasuredItem], at index: Int, restoring columns: inout UndoRecord?
  ) throws {
    if items.isEmpty { return }
    var states = SectionStates(tree, plan: plan, in: session)
    let given = try columns?.takeColumns(items.count).map { Int($0) }
    try replace(
      index..<index, with: items, keepingColumns: given ?? items.map { _ in nil }, &states)
  }

  /// Deletes the items of a range.
  mutating func delete(_ range: Range<Int>) throws {
    if range.isEmpty { return }
    change.formerColumns = try tree.firstColumns(of: range, in: session)
    var states = SectionStates(tree, plan: plan, in: session)
    try replace(range, with: [], keepingColumns: [], &states)
  }

  /// Changes the lengths of the items from an index on. Each item keeps its column unless its
  /// column span changes.
  ///
  /// - Parameter former: The columns of items whose span changes are the last of them; `nil` if
  ///   they choose.
  /// - Throws: As ``insert(_:at:restoring:)``.
  mutating func change(
    at index: Int, to items: [MeasuredItem], restoring former: inout UndoRecord?
  ) throws {
    var states = SectionStates(tree, plan: plan, in: session)
    var columns: [Int?] = []
    var lastChange: Int?
    for (offset, item) in items.enumerated() {
      guard let old = try states.item(at: index + offset) else { throw Damage.misplaced }
      let keeps = old.columns.count == item.columnSpan
      columns.append(keeps ? old.columns.lowerBound : nil)
      if !keeps { change.formerColumns.append(UInt8(old.columns.lowerBound)) }
      let advance = (item.length + plan.lineSpacing).units
      if !keeps || old.advance != advance { lastChange = index + offset }
    }
    let range = index..<(index + items.count)
    guard let lastChange else {
      change.recomputedItems += items.count
      return change.note(items: range)
    }
    if !change.formerColumns.isEmpty,
      let given = try former?.takeColumns(change.formerColumns.count)
    {
      var next = given.startIndex
      for offset in columns.indices where columns[offset] == nil {
        columns[offset] = Int(given[next])
        next += 1
      }
    }
    try replace(range, with: items, keepingColumns: columns, &states)
    change.editedEnd = lastChange + 1
  }

  /// Moves items to the given columns.
  ///
  /// - Throws: As ``insert(_:at:restoring:)``; ``Damage`` for invalid columns.
  mutating func move(_ range: Range<Int>, to columns: [UInt8]) throws {
    var run = WaterfallLeaf()
    try tree.forEachLeaf(overlapping: range, in: session) { leaf, start in
      let wanted = range.clamped(to: start..<(start + leaf.count))
      run = run.joined(with: leaf.slice((wanted.lowerBound - start)..<(wanted.upperBound - start)))
    }
    change.formerPlacements.append((range.lowerBound, run.columns))
    var states = SectionStates(tree, plan: plan, in: session)
    let before = try states.placement(before: range.lowerBound)
    var new = before
    for index in 0..<run.count {
      run.setColumn(Int(columns[index]), at: index)
      let covered = run.columnRange(at: index)
      let length = Length(units: run.advances[index]) - plan.lineSpacing
      guard length > .zero, covered.upperBound <= plan.tracks.count else {
        throw UndoRecord.doesNotFit
      }
      try new.advance(column: covered.lowerBound, columnSpan: covered.count, length: length)
    }
    try replace(range, with: run, from: before, to: new, &states)
  }

  /// Returns an item before which the columns' skew is at most a limit, and after which it
  /// exceeds the limit.
  ///
  /// Uses a binary search: the result is the first such item, unless the columns even out and
  /// diverge again.
  ///
  /// - Precondition: The skew before `end` exceeds the limit.
  /// - Complexity: O(log² items) nodes.
  func firstSkewed(before end: Int, above limit: Int64) throws -> Int {
    var states = SectionStates(tree, plan: plan, in: session)
    var range = 0..<end
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      let isSkewed = try WaterfallSummary.skew(of: states.positions(before: middle)) > limit
      range = isSkewed ? range.lowerBound..<middle : middle..<range.upperBound
    }
    return range.lowerBound
  }

  /// Returns the first of some items before which the columns' skew exceeds a limit.
  ///
  /// - Complexity: O(log items) nodes for each item.
  func firstSkewed(among items: [Int], above limit: Int64) throws -> Int? {
    var states = SectionStates(tree, plan: plan, in: session)
    return try items.first {
      try WaterfallSummary.skew(of: states.positions(before: $0)) > limit
    }
  }

  /// Places the items of a range again; later items keep their columns.
  mutating func placeAgain(_ range: Range<Int>) throws {
    change.hasNewContent = true
    if !range.isEmpty { _ = try placeAgain(range) { _ in false } }
  }

  /// Places a few items again, from one on that makes the columns too skewed, until they are even
  /// enough; later items keep their columns.
  ///
  /// - Parameters:
  ///   - end: The index of an item before which the columns are too skewed.
  ///   - limit: The skew at which the columns are even enough, in units.
  ///   - itemCountMax: The maximum number of items to place, at least 1.
  /// - Returns: The number of items placed, the index after the last, and whether the columns are
  ///   even there and some item has a new one.
  /// - Complexity: O(log² items) nodes, and the placed items.
  mutating func correct(
    before end: Int, to limit: Int64, placing itemCountMax: Int
  ) throws -> (count: Int, end: Int, hasHelped: Bool) {
    let first = try firstSkewed(before: end, above: limit)
    let range = first..<(first + min(itemCountMax, tree.count - first))
    func isEven(_ state: WaterfallPlacement) -> Bool {
      WaterfallSummary.skew(of: state.positions.map(\.units)) <= limit
    }
    let replay = try placeAgain(range) { $0.count > 0 && isEven($0.new) }
    change.hasNewContent = true
    return (replay.count, first + replay.count, replay.hasNewColumns && isEven(replay.new))
  }

  /// - Parameter isReached: Returns whether to stop before the next item.
  private mutating func placeAgain(
    _ range: Range<Int>, until isReached: (WaterfallReplay) -> Bool
  ) throws -> WaterfallReplay {
    let summary = tree.summary
    var states = SectionStates(tree, plan: plan, in: session)
    let before = try states.placement(before: range.lowerBound)
    var replay = WaterfallReplay(after: before, instead: before, lineSpacing: plan.lineSpacing)
    let end = try tree.placeAgain(range, by: &replay, in: session, until: isReached)
    change.note(replay)
    if let first = replay.firstNew {
      change.formerPlacements.append((first, replay.formerColumns))
    }
    try noteRest(from: end, replay, before: summary)
    return replay
  }

  // MARK: - The one edit

  /// - Parameters:
  ///   - columns: The column that each item keeps; `nil` for an item that chooses one.
  ///   - states: The states of the tree.
  private mutating func replace(
    _ range: Range<Int>, with items: [MeasuredItem], keepingColumns kept: [Int?],
    _ states: inout SectionStates
  ) throws {
    let before = try states.placement(before: range.lowerBound)
    var new = before
    var run = WaterfallLeaf()
    for (item, column) in zip(items, kept) {
      let first: Int
      if let column {
        guard column + item.columnSpan <= plan.tracks.count else { throw UndoRecord.doesNotFit }
        try new.advance(column: column, columnSpan: item.columnSpan, length: item.length)
        first = column
      } else {
        first = try new.place(length: item.length, columnSpan: item.columnSpan)
      }
      run.append(
        column: first, columnSpan: item.columnSpan, advance: item.length + plan.lineSpacing)
    }
    try replace(range, with: run, from: before, to: new, &states)
  }

  /// - Parameters:
  ///   - before: The state before the range.
  ///   - new: The state after the new items.
  private mutating func replace(
    _ range: Range<Int>, with run: WaterfallLeaf, from before: WaterfallPlacement,
    to new: WaterfallPlacement, _ states: inout SectionStates
  ) throws {
    let old = range.isEmpty ? before : try states.placement(before: range.upperBound)
    change.recomputedItems += run.count
    change.editedEnd = range.lowerBound + run.count
    let summary = tree.summary
    change.hasNewContent = true
    if range.count == 1 && run.count == 1 {
      try tree.updateLeaf(containing: range.lowerBound, in: session) { leaf, start in
        leaf.replace(at: range.lowerBound - start, with: run)
      }
    } else {
      try tree.replaceSubrange(range, with: run, in: session)
    }

    // The columns in which the states differ contain the inserted, deleted or changed items.
    var columns = ColumnSet()
    var (start, end) = (Int64.max, Int64.min)
    for c in 0..<plan.tracks.count
    where before.positions[c] != old.positions[c] || before.positions[c] != new.positions[c] {
      columns.insert(c)
      start = min(start, before.positions[c].units)
      end = max(end, old.positions[c].units, new.positions[c].units)
    }
    // Every item advances at least one column.
    if columns.isEmpty { throw Damage(detail: "items do not advance any column") }
    change.note(interval: start..<max(start, end - plan.lineSpacing.units))
    let next = range.lowerBound + run.count
    let isShifted = old.positions != new.positions
    change.note(
      items: isShifted || range.count != run.count
        ? range.lowerBound..<tree.count : range)
    if !isShifted { return change.columns.formUnion(columns) }
    try noteShift(columns, from: next, start: start, before: summary)
  }

  /// Records that the items of some columns, and of those tied to them, have moved.
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

  /// Records that the items from an index on have moved with their columns.
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
    if columns.isEmpty || item == tree.count { return }
    change.note(items: item..<tree.count)
    try noteShift(columns, from: item, start: start, before: summary)
  }
}
