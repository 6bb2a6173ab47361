import SumTree

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

  /// Returns the run with the ranks of an order; as it is for `nil`.
  func ranked(by order: DatasetOrder?) -> ItemDataRun {
    guard let order else { return self }
    var run = self
    run.leaf = leaf.ranked(by: order)
    return run
  }

  /// Reads a leaf with the data of `itemCount` items.
  init(of itemCount: Int, from reader: inout ByteReader) throws(ByteError) {
    let leaf = try ItemDataLeaf(from: &reader)
    guard leaf.summary.itemCount <= itemCount else { throw reader.malformed("items with data") }
    self.init(leaf, itemCount: itemCount)
  }

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

  /// A place between items.
  struct Place {
    /// The number of items before it.
    var item = 0
    /// The number of items with data before it.
    fileprivate var element = 0
    /// The number of items without data between the last of these and the place.
    fileprivate var gap = 0
  }

  /// Calls `body` with the place before each item, and its data, `nil` without data.
  func forEachItem(_ body: (_ place: Place, UnsafeRawBufferPointer?) throws -> Void) rethrows {
    var place = Place()
    while place.item < itemCount {
      var next = place
      next.item += 1
      if hasData(at: place) {
        (next.element, next.gap) = (place.element + 1, 0)
        try leaf.withData(at: place.element) { try body(place, $0) }
      } else {
        next.gap += 1
        try body(place, nil)
      }
      place = next
    }
  }

  mutating func append(_ data: ItemData?) {
    itemCount += 1
    guard let data else {
      trailingCount += 1
      return
    }
    leaf.append(data, after: trailingCount)
    trailingCount = 0
  }

  /// Appends the item after a place of another run.
  mutating func append(_ run: ItemDataRun, at place: Place) {
    itemCount += 1
    guard run.hasData(at: place) else {
      trailingCount += 1
      return
    }
    leaf.append(run.leaf, at: place.element, after: trailingCount)
    trailingCount = 0
  }

  /// Calls `body` with the data of the item after a place; `nil` without data.
  func withData<R>(at place: Place, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
    guard hasData(at: place) else { return try body(nil) }
    return try leaf.withData(at: place.element) { try body($0) }
  }

  /// Whether the item after a place has data.
  private func hasData(at place: Place) -> Bool {
    place.element < leaf.count && place.gap == leaf.gaps[place.element]
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
    var found = ItemDataLeaf()
    var next = range.lowerBound
    while let item = try seek(from: next), item < range.upperBound {
      let (leaf, first) = (finger.leaf, finger.index)
      var (end, last) = (first + 1, item)
      while end < leaf.count, last + leaf.gaps[end] + 1 < range.upperBound {
        last += leaf.gaps[end] + 1
        end += 1
      }
      found.append(leaf.unrankedSlice(first..<end).after(item - next - leaf.gaps[first]))
      next = last + 1
    }
    return ItemDataRun(found, itemCount: range.count)
  }

  /// Moves to the first item with data at or after `item`.
  ///
  /// - Returns: The item's number; `nil` if there is none.
  private mutating func seek(from item: Int) throws -> Int? {
    try finger.seek(where: { $0.item > item }) ? finger.behind.item - 1 : nil
  }
}

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
      return Found(leaf: nil, offset: count, item: .max, itemsBefore: summary.itemCount)
    }
    return Found(
      leaf: place.leaf, index: place.index, offset: place.offset,
      item: place.before.item + place.leaf.gaps[place.index], itemsBefore: place.before.item)
  }
}
