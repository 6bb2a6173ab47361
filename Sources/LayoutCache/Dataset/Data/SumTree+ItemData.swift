import SumTree

// What is behind the last item with data a tree of data does not know: that no data are
// there. A dataset without any has an empty tree, whatever its length.

extension SumTree<ItemDataLeaf> {
  /// The data of an item, by its number in the dataset.
  ///
  /// - Complexity: O(log items with data) nodes.
  func data(ofItem item: Int, in session: TreeSession) throws -> ItemData? {
    var finger = ItemDataFinger(self, in: session)
    return try finger.data(ofItem: item)
  }

  /// The data of a run of items.
  ///
  /// - Complexity: O(log items with data) nodes, and the leaves that hold the range.
  func run(of range: Range<Int>, in session: TreeSession) throws -> ItemDataRun {
    var finger = ItemDataFinger(self, in: session)
    return try finger.run(of: range)
  }

  /// Puts the data of a run of items in place of those of a range.
  ///
  /// - Complexity: O(log items with data) nodes, and those that the run makes.
  mutating func replaceItems(
    _ range: Range<Int>, with run: ItemDataRun, in session: TreeSession
  ) throws {
    let first = try first(from: range.lowerBound, in: session)
    let next = range.isEmpty ? first : try self.first(from: range.upperBound, in: session)
    if first.offset == next.offset && run.isEmpty && run.itemCount == range.count {
      return
    }
    let gap = range.lowerBound - first.itemsBefore
    var new = run.isEmpty ? run.leaf : run.leaf.behind(gap)
    var end = next.offset
    if let leaf = next.leaf {
      // The item that stands after the range keeps its data, and changes its distance.
      let before = next.item - range.upperBound + run.trailingCount
      let distance = run.isEmpty ? before + gap : before
      let element = leaf.slice(next.index..<(next.index + 1))
      new.append(element.behind(distance - element.gaps[0]))
      end += 1
    }
    try replaceSubrange(first.offset..<end, with: new.count == 0 ? nil : new, in: session)
  }

  /// An element of the tree, or its end.
  private struct Found {
    /// `nil` at the end.
    var leaf: ItemDataLeaf?
    /// In the leaf.
    var index = 0
    /// In the tree.
    var offset: Int
    /// The item that has the data; beyond all that there are at the end.
    var item: Int
    /// The items before it and before those without data in front of it.
    var itemsBefore: Int
  }

  /// The first item with data from an item on.
  private func first(from item: Int, in session: TreeSession) throws -> Found {
    let place = try firstPlace(from: ItemDataPlace(), where: { $0.item > item }, in: session)
    guard let place else {
      return Found(
        leaf: nil, offset: count, item: .max, itemsBefore: summary.itemCount)
    }
    return Found(
      leaf: place.leaf, index: place.index, offset: place.offset,
      item: place.before.item + place.leaf.gaps[place.index], itemsBefore: place.before.item)
  }
}
