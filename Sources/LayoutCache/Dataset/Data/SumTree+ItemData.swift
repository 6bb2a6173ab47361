import SumTree

// A data tree does not represent the items after the last one with data. A dataset without data
// has an empty tree, whatever its length.

extension SumTree<ItemDataLeaf> {
  /// Returns the data of an item by its number in the dataset.
  ///
  /// - Complexity: O(log items with data) nodes.
  func data(ofItem item: Int, in session: TreeSession) throws -> ItemData? {
    var finger = ItemDataFinger(self, in: session)
    return try finger.data(ofItem: item)
  }

  /// Returns the data of a run of items.
  ///
  /// - Complexity: O(log items with data) nodes, plus the leaves in the range.
  func run(of range: Range<Int>, in session: TreeSession) throws -> ItemDataRun {
    var finger = ItemDataFinger(self, in: session)
    return try finger.run(of: range)
  }

  /// Replaces the data of a range of items with those of a run.
  ///
  /// - Complexity: O(log items with data) nodes, plus the new nodes of the run.
  mutating func replaceItems(
    _ range: Range<Int>, with run: ItemDataRun, in session: TreeSession
  ) throws {
    let first = try first(from: range.lowerBound, in: session)
    let next = range.isEmpty ? first : try self.first(from: range.upperBound, in: session)
    if first.offset == next.offset && run.isEmpty && run.itemCount == range.count {
      return
    }
    let gap = range.lowerBound - first.itemsBefore
    var new = run.isEmpty ? run.leaf : run.leaf.after(gap)
    var end = next.offset
    if let leaf = next.leaf {
      // The first item with data after the range keeps its data, but its gap changes.
      let before = next.item - range.upperBound + run.trailingCount
      let distance = run.isEmpty ? before + gap : before
      let element = leaf.slice(next.index..<(next.index + 1))
      new.append(element.after(distance - element.gaps[0]))
      end += 1
    }
    try replaceSubrange(first.offset..<end, with: new.count == 0 ? nil : new, in: session)
  }

  /// An element of the tree, or its end.
  private struct Found {
    /// `nil` at the end.
    var leaf: ItemDataLeaf?
    /// The element's index in the leaf.
    var index = 0
    /// The element's offset in the tree.
    var offset: Int
    /// The item that has the data; at the end, greater than any item's number.
    var item: Int
    /// The number of items before the gap that precedes the item.
    var itemsBefore: Int
  }

  /// Returns the first item with data at or after `item`.
  private func first(from item: Int, in session: TreeSession) throws -> Found {
    let place = try firstPlace(from: ItemDataPosition(), where: { $0.item > item }, in: session)
    guard let place else {
      return Found(
        leaf: nil, offset: count, item: .max, itemsBefore: summary.itemCount)
    }
    return Found(
      leaf: place.leaf, index: place.index, offset: place.offset,
      item: place.before.item + place.leaf.gaps[place.index], itemsBefore: place.before.item)
  }
}
