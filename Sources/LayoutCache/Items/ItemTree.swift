import SumTree

extension SumTree<ItemLeaf> {
  /// Calls `body` with the items of a range, leaf by leaf.
  ///
  /// - Complexity: O(log n) nodes, and the leaves that hold the range.
  func forEachRun(
    in range: Range<Int>, reader: TreeReader, _ body: (ItemLeaf) throws -> Void
  ) throws {
    guard !range.isEmpty else { return }
    var cursor = Cursor(self, at: ElementOffset(), reader: reader)
    var found = try cursor.seek(toElement: range.lowerBound)
    while found, cursor.offset < range.upperBound {
      let leaf = cursor.leaf
      let wanted = range.clamped(to: cursor.offset..<(cursor.offset + leaf.count))
      try body(
        leaf.slice((wanted.lowerBound - cursor.offset)..<(wanted.upperBound - cursor.offset)))
      found = try cursor.next()
    }
  }
}

/// Reads items one by one, keeping hold of the last leaf: the items of a visible
/// rectangle are few runs of neighbours.
struct ItemReader {
  private let items: SumTree<ItemLeaf>
  private let reader: TreeReader
  private var leaf: ItemLeaf?
  private var range = 0..<0

  init(_ items: SumTree<ItemLeaf>, reader: TreeReader) {
    self.items = items
    self.reader = reader
  }

  /// The key of an item, counted from the dataset's first.
  mutating func key(at index: Int) throws -> String {
    if let leaf, range.contains(index) { return leaf.key(at: index - range.lowerBound) }
    let (leaf, start) = try items.leaf(containing: index, reader: reader)
    self.leaf = leaf
    range = start..<(start + leaf.count)
    return leaf.key(at: index - start)
  }
}
