/// The data of a run of items.
struct ItemDataRun: Sendable, Equatable {
  /// Those that there are, counted from the run's first item.
  private(set) var leaf = ItemDataLeaf()
  /// The items, with data and without.
  private(set) var itemCount: Int

  /// The items behind the last one with data.
  var trailingCount: Int { itemCount - leaf.summary.itemCount }

  /// A run of items without data.
  init(itemCount: Int = 0) { self.itemCount = itemCount }

  /// - Precondition: The leaf covers no more than the items.
  init(_ leaf: ItemDataLeaf, itemCount: Int) {
    precondition(leaf.summary.itemCount <= itemCount, "data belong to items")
    self.leaf = leaf
    self.itemCount = itemCount
  }

  /// Appends an item.
  mutating func append(_ data: ItemData?) {
    if let data { leaf.append(data, behind: trailingCount) }
    itemCount += 1
  }
}
