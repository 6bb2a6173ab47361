import SumTree

/// A reader of the data of items one by one, mostly in order: neighbours, the common case, need
/// no search.
struct ItemDataFinger {
  private var finger: ElementFinger<ItemDataLeaf, ItemDataPosition>

  init(_ tree: SumTree<ItemDataLeaf>, in session: TreeSession) {
    finger = ElementFinger(tree, from: ItemDataPosition(), in: session)
  }

  /// Returns the data of an item by its number in the dataset.
  ///
  /// - Complexity: O(1) amortised for items in order, otherwise O(log items with data) nodes; no
  ///   node if no item has data.
  mutating func data(ofItem item: Int) throws -> ItemData? {
    guard let found = try seek(from: item), found == item else { return nil }
    return finger.leaf.data(at: finger.index)
  }

  /// Returns the data of a run of items.
  ///
  /// - Complexity: As for one item, plus the leaves with the rest of the run.
  mutating func run(of range: Range<Int>) throws -> ItemDataRun {
    var leaf = ItemDataLeaf()
    var next = range.lowerBound
    while let item = try seek(from: next), item < range.upperBound {
      leaf.append(finger.leaf.data(at: finger.index), after: item - next)
      next = item + 1
    }
    return ItemDataRun(leaf, itemCount: range.count)
  }

  /// Moves to the first item with data at or after `item`.
  ///
  /// - Returns: The item's number; `nil` if there is none.
  private mutating func seek(from item: Int) throws -> Int? {
    try finger.seek(where: { $0.item > item }) ? finger.behind.item - 1 : nil
  }
}
