import CollectionLayout
import LayoutGeometry
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

/// Reads items one by one, keeping hold of the last leaf: mostly they are asked for in
/// order, or are neighbours.
struct ItemReader {
  private let items: SumTree<ItemLeaf>
  private let reader: TreeReader
  private var leaf = ItemLeaf()
  /// The items of `leaf`, counted from the dataset's first.
  private var range = 0..<0

  init(_ items: SumTree<ItemLeaf>, reader: TreeReader) {
    self.items = items
    self.reader = reader
  }

  /// The key of an item, counted from the dataset's first.
  mutating func key(at index: Int) throws -> String {
    let offset = try offset(of: index)
    return leaf.key(at: offset)
  }

  /// An item, counted from the dataset's first, as a layout sees it.
  mutating func layoutItem(at index: Int, layout: Int64, space: LayoutSpace) throws -> LayoutItem {
    let offset = try offset(of: index)
    return leaf.layoutItem(at: offset, layout: layout, space: space)
  }

  /// Gets the leaf of an item into ``leaf``.
  ///
  /// - Returns: The item's place in it.
  private mutating func offset(of index: Int) throws -> Int {
    if !range.contains(index) {
      // What a layout holds may be damaged; the items are not to blame.
      guard index >= 0, index < items.count else {
        throw DamagedLayout(detail: "it has more items than its dataset")
      }
      let found = try items.leaf(containing: index, reader: reader)
      leaf = found.leaf
      range = found.start..<(found.start + leaf.count)
    }
    return index - range.lowerBound
  }
}
