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
    var hunk = 0
    while hunk < changes.hunks.count {
      let first = changes.hunks[hunk].new.lowerBound
      let shift = changes.shift(behind: hunk - 1)
      var item = first
      // All hunks before have been carried out: the tree is as it will be up to here.
      var state = try tree.state(before: first, reader: reader)
      var run = CustomLeaf()
      while true {
        while hunk + 1 < changes.hunks.count, item >= changes.hunks[hunk + 1].new.lowerBound {
          hunk += 1
        }
        let oldItem = item - changes.shift(behind: hunk)
        if item >= changes.hunks[hunk].new.upperBound,
          try oldItem == old.count || state == old.state(before: oldItem, reader: reader)
        {
          break
        }
        let placement = try plan.place(try items.item(at: item), state: &state)
        run.append(placement, state: state)
        item += 1
      }
      change.recomputedItems += run.count
      let replaced = first..<(item - changes.shift(behind: hunk) + shift)
      let oldItem = item - changes.shift(behind: hunk)
      let oldEnd = try old.anchor(before: oldItem, reader: reader)
      let oldLength = tree.summary.contentLength.units
      try tree.replaceSubrange(replaced, with: run, reader: reader, edits: &edits)
      let hasMoved = try tree.anchor(before: item, reader: reader) != oldEnd
      change.note(items: first..<(hasMoved || oldItem != item ? changes.count : item))
      // A rule may put an item anywhere, so what has moved may lie anywhere.
      change.note(interval: 0..<max(oldLength, tree.summary.contentLength.units))
      hunk += 1
    }
  }
}

extension SumTree<CustomLeaf> {
  /// The state before an item, or behind the last.
  fileprivate func state(before index: Int, reader: TreeReader) throws -> [Int64] {
    if index == 0 { return [] }
    let found = try leaf(containing: index - 1, reader: reader)
    return found.leaf.state(behind: index - 1 - found.start)
  }

  /// The anchor before an item, or behind the last, in units.
  fileprivate func anchor(before index: Int, reader: TreeReader) throws -> Int64 {
    if index == count { return summary.advance }
    let found = try leaf(containing: index, from: CustomPlace(), reader: reader)
    return found.leaf.advances[..<(index - found.offset)].reduce(found.before.anchor, +)
  }
}
