import CollectionLayout
import LayoutGeometry
import SumTree

/// Places the items of a custom section again where they have changed: around each
/// hunk of changes until the state is what it was behind the same unchanged item.
/// What lies behind that only moves.
struct CustomReflow {
  private(set) var tree: SumTree<CustomLeaf>
  private(set) var edits: TreeEdits
  private(set) var change = PlacementChange()
  private let plan: CustomPlan
  private var items: SectionItems
  private let reader: TreeReader

  /// - Parameter items: The section's items after the changes.
  init(
    _ tree: SumTree<CustomLeaf>, plan: CustomPlan, items: SectionItems, edits: TreeEdits,
    reader: TreeReader
  ) {
    self.tree = tree
    self.edits = edits
    self.plan = plan
    self.items = items
    self.reader = reader
  }

  /// Moves on by changes.
  ///
  /// - Throws: `LimitError` for a placement beyond a limit; what reading nodes throws.
  /// - Complexity: O(log items) nodes for each hunk, and O(1) for each item that is
  ///   placed again.
  mutating func run(_ changes: ItemHunks) throws {
    let old = tree
    var oldStates = CustomStates(old, reader: reader)
    // The first unchanged items that have moved, in the old list and in the new one.
    var moved: (old: Int, new: Int)?
    var hunk = 0
    while hunk < changes.hunks.count {
      let shift = changes.shift(behind: hunk - 1)
      let first = changes.hunks[hunk].new.lowerBound
      // All hunks before have been carried out: the tree is as it will be up to here.
      var states = CustomStates(tree, reader: reader)
      let run = try place(
        from: first, state: states.state(before: first), in: changes, at: &hunk, of: &oldStates,
        oldCount: old.count)
      let end = first + run.count
      let oldRange = (first - shift)..<(end - changes.shift(behind: hunk))
      try tree.replaceSubrange(
        (oldRange.lowerBound + shift)..<(oldRange.upperBound + shift), with: run, reader: reader,
        edits: &edits)
      change.recomputedItems += run.count
      try note(old.extent(of: oldRange, reader: reader))
      try note(tree.extent(of: first..<end, reader: reader))
      let hasMoved =
        try tree.anchor(before: end, reader: reader)
        != old.anchor(before: oldRange.upperBound, reader: reader)
      if hasMoved, moved == nil { moved = (oldRange.upperBound, end) }
      change.note(items: first..<(hasMoved || oldRange.upperBound != end ? changes.count : end))
      hunk += 1
    }
    if let moved {
      try note(old.extent(of: moved.old..<old.count, reader: reader))
      try note(tree.extent(of: moved.new..<tree.count, reader: reader))
    }
    try tree.summary.check(plan)
  }

  /// Places items until the state agrees with the old one, or to the section's end.
  ///
  /// - Parameter hunk: The hunk to begin with; becomes the last that was passed.
  private mutating func place(
    from first: Int, state: [Int64], in changes: ItemHunks, at hunk: inout Int,
    of oldStates: inout CustomStates, oldCount: Int
  ) throws -> CustomLeaf {
    var state = state
    var run = CustomLeaf()
    while true {
      let item = first + run.count
      while hunk + 1 < changes.hunks.count, item >= changes.hunks[hunk + 1].new.lowerBound {
        hunk += 1
      }
      let oldItem = item - changes.shift(behind: hunk)
      if item >= changes.hunks[hunk].new.upperBound,
        try oldItem == oldCount || state == oldStates.state(before: oldItem)
      {
        return run
      }
      let placement = try plan.place(try items.item(at: item), state: &state)
      run.append(placement, state: state)
    }
  }

  private mutating func note(_ extent: Range<Int64>?) {
    if let extent { change.note(interval: extent) }
  }
}

extension SumTree<CustomLeaf> {
  /// The anchor before an item, or behind the last, in units.
  fileprivate func anchor(before index: Int, reader: TreeReader) throws -> Int64 {
    if index == count { return summary.advance }
    let found = try leaf(containing: index, from: CustomPlace(), reader: reader)
    return found.leaf.advances[..<(index - found.offset)].reduce(found.before.anchor, +)
  }

  /// What a range of items covers along the main axis, in units from the content's
  /// start; `nil` for no items.
  ///
  /// - Complexity: O(log items) nodes.
  fileprivate func extent(of range: Range<Int>, reader: TreeReader) throws -> Range<Int64>? {
    if range.isEmpty { return nil }
    // A tree of the range alone shares all but its edges with this one.
    var part = self
    var edits = TreeEdits()
    try part.replaceSubrange(range.upperBound..<count, with: nil, reader: reader, edits: &edits)
    try part.replaceSubrange(0..<range.lowerBound, with: nil, reader: reader, edits: &edits)
    let anchor = try anchor(before: range.lowerBound, reader: reader)
    return part.summary.extent.map { ($0.lowerBound + anchor)..<($0.upperBound + anchor) }
  }
}
