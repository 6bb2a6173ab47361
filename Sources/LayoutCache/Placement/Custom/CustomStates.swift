import SumTree

/// Looks up the states of a custom section's items, mostly one behind the other.
struct CustomStates {
  private let tree: SumTree<CustomLeaf>
  private let reader: TreeReader
  private var leaf = CustomLeaf()
  /// The items of `leaf`.
  private var range = 0..<0

  init(_ tree: SumTree<CustomLeaf>, reader: TreeReader) {
    self.tree = tree
    self.reader = reader
  }

  /// The state before an item, or behind the last.
  ///
  /// - Complexity: O(log items) nodes; O(1) amortised for items in order.
  mutating func state(before index: Int) throws -> [Int64] {
    if index == 0 { return [] }
    if !range.contains(index - 1) {
      let found = try tree.leaf(containing: index - 1, reader: reader)
      leaf = found.leaf
      range = found.start..<(found.start + leaf.count)
    }
    return leaf.state(behind: index - 1 - range.lowerBound)
  }
}
