import SumTree

/// Reads the data of items one after the other, mostly in order: neighbours, which are
/// mostly asked for, cost no search.
struct ItemDataFinger {
  private var finger: ElementFinger<ItemDataLeaf, ItemDataPlace>

  init(_ tree: SumTree<ItemDataLeaf>, in session: TreeSession) {
    finger = ElementFinger(tree, from: ItemDataPlace(), in: session)
  }

  /// The data of an item, by its number in the dataset.
  ///
  /// - Complexity: O(1) amortised for items in order; O(log items with data) nodes
  ///   otherwise; none where no item has data.
  mutating func data(ofItem item: Int) throws -> ItemData? {
    guard let found = try seek(from: item), found == item else { return nil }
    return finger.leaf.data(at: finger.index)
  }

  /// The data of a run of items.
  ///
  /// - Complexity: As for its first item, and the leaves that hold the others.
  mutating func run(of range: Range<Int>) throws -> ItemDataRun {
    var leaf = ItemDataLeaf()
    var next = range.lowerBound
    while let item = try seek(from: next), item < range.upperBound {
      leaf.append(finger.leaf.data(at: finger.index), behind: item - next)
      next = item + 1
    }
    return ItemDataRun(leaf, itemCount: range.count)
  }

  /// Moves to the first item with data from one on.
  ///
  /// - Returns: Its number; `nil` where there is none.
  private mutating func seek(from item: Int) throws -> Int? {
    try finger.seek(where: { $0.item > item }) ? finger.behind.item - 1 : nil
  }
}
