import SumTree

/// The data of a run of items.
struct ItemDataRun: Sendable, Equatable {
  /// Those that there are, counted from the run's first item.
  private(set) var leaf = ItemDataLeaf()
  /// The items, with data and without.
  private(set) var itemCount: Int
  /// The items after the last one with data: kept, because each item that is appended asks.
  private(set) var trailingCount: Int

  /// Whether no item has any.
  var isEmpty: Bool { leaf.count == 0 }

  /// The data's bytes.
  var byteCount: Int { leaf.bytes.count }

  /// A run of items without data.
  init(itemCount: Int = 0) {
    self.itemCount = itemCount
    trailingCount = itemCount
  }

  /// - Precondition: The leaf covers no more than the items.
  init(_ leaf: ItemDataLeaf, itemCount: Int) {
    let coveredCount = leaf.summary.itemCount
    precondition(coveredCount <= itemCount, "data belong to items")
    self.leaf = leaf
    self.itemCount = itemCount
    trailingCount = itemCount - coveredCount
  }

  /// Reads a leaf as the data of so many items.
  init(of itemCount: Int, from reader: inout ByteReader) throws(ByteError) {
    let leaf = try ItemDataLeaf(from: &reader)
    guard leaf.summary.itemCount <= itemCount else { throw reader.malformed("items with data") }
    self.init(leaf, itemCount: itemCount)
  }

  /// Each item's data.
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
    leaf.append(data, behind: trailingCount)
    trailingCount = 0
  }

  /// Appends the items of another run.
  mutating func append(_ run: ItemDataRun) {
    itemCount += run.itemCount
    guard !run.isEmpty else {
      trailingCount += run.itemCount
      return
    }
    leaf.append(run.leaf.behind(trailingCount))
    trailingCount = run.trailingCount
  }
}
