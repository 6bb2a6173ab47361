import CollectionLayout
import LayoutGeometry
import SumTree

/// An item as a waterfall places it.
struct MeasuredItem {
  /// The length along the main axis; at least one unit.
  var length: Length
  /// The columns that it covers, 1 to the section's.
  var columnSpan: Int
}

extension WaterfallPlan {
  /// An item as it is placed: with its measured length, where it has one.
  func measure(_ item: LayoutItem) -> MeasuredItem {
    let span = columnSpan(item.columnSpan)
    return MeasuredItem(
      length: item.preferredLength ?? length(of: item.size, columnSpan: span), columnSpan: span)
  }
}

/// Edits a waterfall section's placed items.
///
/// Everything is one edit: items of a range give way to others. The columns' next
/// positions before the range are known from the tree; behind it there are two
/// states, the one that was and the one that is. In a `stable` section that is all:
/// later items keep their columns, so their leaves stay as they are, and the tree's
/// products move them. In an `exact` one the items behind are placed anew until the
/// two states agree.
struct WaterfallEditor {
  private(set) var tree: SumTree<WaterfallLeaf>
  private(set) var edits: TreeEdits
  private(set) var change = PlacementChange()
  /// Whether the tree is another one than at first.
  private(set) var isEdited = false
  private let plan: WaterfallPlan
  private let reader: TreeReader

  init(
    _ tree: SumTree<WaterfallLeaf>, plan: WaterfallPlan, edits: TreeEdits, reader: TreeReader
  ) {
    self.tree = tree
    self.edits = edits
    self.plan = plan
    self.reader = reader
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

  /// Gives an item another length; it keeps its column, in a stable section, unless
  /// it covers another number of columns than before.
  ///
  /// - Throws: As ``insert(_:at:)``.
  mutating func change(at index: Int, to item: MeasuredItem) throws {
    let (leaf, start) = try tree.leaf(containing: index, reader: reader)
    let old = leaf.columnRange(at: index - start)
    let keeps = plan.assignment == .stable && old.count == item.columnSpan
    if keeps, leaf.advances[index - start] == (item.length + plan.lineSpacing).units {
      change.recomputedItems += 1
      return change.note(items: index..<(index + 1))
    }
    try replace(
      index..<(index + 1), with: [item], keepingColumn: keeps ? old.lowerBound : nil)
  }

  /// Places the items from one on anew.
  mutating func rebalance(from index: Int) throws {
    change.note(items: index..<max(index, tree.count))
    // An exact section is as if placed anew at any time.
    guard plan.assignment == .stable, index < tree.count else { return }
    let before = try Surroundings(of: index..<index, in: tree, plan: plan, reader: reader).before
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
    let skewMax = tree.summary.skewMax(of: plan)
    var range = 0..<tree.count
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      let place = try Surroundings(of: middle..<middle, in: tree, plan: plan, reader: reader)
      let isSkewed = WaterfallSummary.skew(of: place.before.positions.map(\.units)) > skewMax
      range = isSkewed ? range.lowerBound..<middle : middle..<range.upperBound
    }
    let first = range.lowerBound
    let before = try Surroundings(of: first..<first, in: tree, plan: plan, reader: reader).before
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
    let surroundings = try Surroundings(of: range, in: tree, plan: plan, reader: reader)
    let (before, old) = (surroundings.before, surroundings.behind)
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
    isEdited = true
    if range.count == 1 && items.count == 1 {
      try tree.updateLeaf(containing: range.lowerBound, reader: reader, edits: &edits) {
        leaf, start in
        leaf.replace(at: range.lowerBound - start, with: run)
      }
    } else {
      try tree.replaceSubrange(range, with: run, reader: reader, edits: &edits)
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
    let isShifted = plan.assignment == .stable && old.positions != new.positions
    change.note(
      items: isShifted || range.count != items.count
        ? range.lowerBound..<tree.count : range)
    if isShifted {
      return try noteShift(columns, from: next, start: start, before: summary)
    }
    change.columns.formUnion(columns)
    if plan.assignment == .exact {
      try placeAnew(from: next, after: new, instead: old, until: .equal)
    }
  }

  /// Notes that the items of some columns, and of those tied to them, have moved.
  private mutating func noteShift(
    _ columns: ColumnSet, from item: Int, start: Int64, before summary: WaterfallSummary
  ) throws {
    let columns = try tree.columns(tiedTo: columns, from: item, reader: reader)
    change.columns.formUnion(columns)
    let (before, behind) = (summary.positions(of: plan), tree.summary.positions(of: plan))
    var end = start
    columns.forEachColumn { end = max(end, before[$0], behind[$0]) }
    change.note(interval: start..<max(start, end - plan.lineSpacing.units))
  }

  /// Where a placement may end before the section does.
  private enum Stop {
    case end
    /// Where the new state and the old one agree but for a shift: from there on each
    /// item would choose the column that it has.
    case equal
    /// Where the columns' ends would differ by no more than a length, in units, with
    /// the items behind left in their columns. That is looked at after 1, 2, 4, 8 …
    /// items.
    case even(within: Int64)
  }

  /// Places the items from one on anew.
  ///
  /// Leaves in which no item gets another column stay as they are.
  ///
  /// - Parameters:
  ///   - new: The state before the first of them.
  ///   - old: The state in which their present columns were chosen.
  private mutating func placeAnew(
    from first: Int, after new: WaterfallPlacement, instead old: WaterfallPlacement,
    until stop: Stop
  ) throws {
    var (new, old) = (new, old)
    guard first < tree.count else { return }
    let version = tree
    var moves = PlacedMoves()
    defer { change.note(moves) }
    var cursor = Cursor(version, at: ElementOffset(), reader: reader)
    var found = try cursor.seek(toElement: first)
    while found {
      let (leaf, start) = (cursor.leaf, cursor.offset)
      var placed = leaf
      for index in max(0, first - start)..<leaf.count {
        let item = start + index
        if try isReached(stop, at: item, placed: item - first, new, old, in: version) {
          try keep(placed, at: start, insteadOf: leaf)
          return try noteRest(from: item, old: old, new: new, before: version.summary)
        }
        try place(index, of: leaf, at: start, in: &placed, &new, &old, &moves)
      }
      try keep(placed, at: start, insteadOf: leaf)
      found = try cursor.next()
    }
  }

  private func isReached(
    _ stop: Stop, at item: Int, placed count: Int, _ new: WaterfallPlacement,
    _ old: WaterfallPlacement, in version: SumTree<WaterfallLeaf>
  ) throws -> Bool {
    switch stop {
    case .end:
      return false
    case .equal:
      return new.isShifted(from: old)
    case .even(let skewMax):
      guard count > 0, count & (count - 1) == 0 else { return false }
      var positions = new.positions.map(\.units)
      try version.advance(&positions, overItemsFrom: item, reader: reader)
      return WaterfallSummary.skew(of: positions) <= skewMax
    }
  }

  /// Places one item of a leaf anew.
  private mutating func place(
    _ index: Int, of leaf: WaterfallLeaf, at start: Int, in placed: inout WaterfallLeaf,
    _ new: inout WaterfallPlacement, _ old: inout WaterfallPlacement,
    _ moves: inout PlacedMoves
  ) throws {
    let covered = leaf.columnRange(at: index)
    let length = Length(units: leaf.advances[index]) - plan.lineSpacing
    let oldStart = try old.advance(
      column: covered.lowerBound, columnSpan: covered.count, length: length)
    let column = try new.place(length: length, columnSpan: covered.count)
    let newStart = new.positions[column] - plan.lineSpacing - length
    change.recomputedItems += 1
    if column == covered.lowerBound && newStart == oldStart { return }
    if column != covered.lowerBound { placed.setColumn(column, at: index) }
    moves.add(
      start + index, columns: (covered, column..<(column + covered.count)),
      extent: min(oldStart, newStart).units..<(max(oldStart, newStart) + length).units)
  }

  private mutating func keep(
    _ placed: WaterfallLeaf, at start: Int, insteadOf leaf: WaterfallLeaf
  ) throws {
    guard placed != leaf else { return }
    try tree.updateLeaf(containing: start, reader: reader, edits: &edits) { leaf, _ in
      leaf = placed
    }
  }

  /// Notes that the items from one on keep their columns and have moved with them.
  private mutating func noteRest(
    from item: Int, old: WaterfallPlacement, new: WaterfallPlacement,
    before summary: WaterfallSummary
  ) throws {
    var columns = ColumnSet()
    var start = Int64.max
    for c in 0..<plan.tracks.count where old.positions[c] != new.positions[c] {
      columns.insert(c)
      start = min(start, old.positions[c].units, new.positions[c].units)
    }
    if columns.isEmpty { return }
    change.note(items: item..<tree.count)
    try noteShift(columns, from: item, start: start, before: summary)
  }
}

/// The columns' states before and behind a range of a section's items.
private struct Surroundings {
  let before: WaterfallPlacement
  let behind: WaterfallPlacement

  init(
    of range: Range<Int>, in tree: SumTree<WaterfallLeaf>, plan: WaterfallPlan,
    reader: TreeReader
  ) throws {
    guard !tree.isEmpty else {
      before = WaterfallPlacement(plan: plan)
      behind = before
      return
    }
    var walk = try PlacementWalk(at: range.lowerBound, in: tree, plan: plan, reader: reader)
    before = try walk.placement(at: range.lowerBound)
    if range.isEmpty {
      behind = before
    } else {
      if range.upperBound > walk.leafEnd {
        walk = try PlacementWalk(at: range.upperBound, in: tree, plan: plan, reader: reader)
      }
      behind = try walk.placement(at: range.upperBound)
    }
  }
}

/// The columns' states along one leaf.
private struct PlacementWalk {
  private let tree: SumTree<WaterfallLeaf>
  private let plan: WaterfallPlan
  private let reader: TreeReader
  private let leaf: WaterfallLeaf
  private let start: Int
  private var positions: [Int64]
  private var passed = 0

  /// The item behind the leaf's last.
  var leafEnd: Int { start + leaf.count }

  init(
    at index: Int, in tree: SumTree<WaterfallLeaf>, plan: WaterfallPlan, reader: TreeReader
  ) throws {
    let place = try tree.leaf(
      containing: min(index, tree.count - 1),
      from: ColumnPositions(of: plan.tracks.count), reader: reader)
    (self.tree, self.plan, self.reader) = (tree, plan, reader)
    (leaf, start, positions) = (place.leaf, place.offset, place.before.positions)
  }

  /// The state before an item of the leaf, or behind its last; none before those asked
  /// for already.
  mutating func placement(at index: Int) throws -> WaterfallPlacement {
    while passed < index - start {
      _ = leaf.place(passed, on: &positions)
      passed += 1
    }
    return WaterfallPlacement(
      plan: plan, positions: positions.map { Length(units: $0) }, cursor: try cursor(at: index))
  }

  /// Only this rule looks at the item placed before.
  private func cursor(at index: Int) throws -> Int {
    guard plan.ties == .cursor, index > 0 else { return 0 }
    let (leaf, start) =
      index > start
      ? (leaf, start) : try tree.leaf(containing: index - 1, reader: reader)
    return leaf.columnRange(at: index - 1 - start).upperBound % plan.tracks.count
  }
}
