import SumTree

/// The data of a run of items.
struct ItemDataRun: Sendable, Equatable {
  /// The data of the run, with gaps counted from the run's first item.
  private(set) var leaf = ItemDataLeaf()
  /// The number of items, with or without data.
  private(set) var itemCount: Int
  /// The number of items after the last one with data. It is stored because each append needs it.
  private(set) var trailingCount: Int

  /// Whether no item has data.
  var isEmpty: Bool { leaf.count == 0 }

  /// The data's bytes.
  var byteCount: Int { leaf.bytes.count }

  /// Creates a run of items without data.
  init(itemCount: Int = 0) {
    self.itemCount = itemCount
    trailingCount = itemCount
  }

  /// - Precondition: The leaf covers at most `itemCount` items.
  init(_ leaf: ItemDataLeaf, itemCount: Int) {
    let coveredCount = leaf.summary.itemCount
    precondition(coveredCount <= itemCount, "data belong to items")
    self.leaf = leaf
    self.itemCount = itemCount
    trailingCount = itemCount - coveredCount
  }

  /// Reads a leaf with the data of `itemCount` items.
  init(of itemCount: Int, from reader: inout ByteReader) throws(ByteError) {
    let leaf = try ItemDataLeaf(from: &reader)
    guard leaf.summary.itemCount <= itemCount else { throw reader.malformed("items with data") }
    self.init(leaf, itemCount: itemCount)
  }

  /// The data of each item.
  var items: [ItemData?] {
    var items: [ItemData?] = []
    items.reserveCapacity(itemCount)
    for (index, gap) in leaf.gaps.enumerated() {
      items.append(contentsOf: repeatElement(nil, count: gap))
      items.append(leaf.data(at: index))
    }
    items.append(contentsOf: repeatElement(nil, count: trailingCount))
    return items
  }

  /// Appends an item.
  mutating func append(_ data: ItemData?) {
    itemCount += 1
    guard let data else {
      trailingCount += 1
      return
    }
    leaf.append(data, after: trailingCount)
    trailingCount = 0
  }

  /// Appends the items of another run.
  mutating func append(_ run: ItemDataRun) {
    itemCount += run.itemCount
    guard !run.isEmpty else {
      trailingCount += run.itemCount
      return
    }
    leaf.append(run.leaf.after(trailingCount))
    trailingCount = run.trailingCount
  }
}

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
