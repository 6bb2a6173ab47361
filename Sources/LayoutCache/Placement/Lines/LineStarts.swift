import SumTree

/// Looks up where lines start, mostly one behind the other.
struct LineStarts {
  private let tree: SumTree<LineLeaf>
  private let reader: TreeReader
  private var leaf = LineLeaf()
  /// The place before `leaf`.
  private var before = LinePlace()
  /// A line of `leaf`, or the place behind it.
  private var current = LinePlace()

  init(_ tree: SumTree<LineLeaf>, reader: TreeReader) {
    self.tree = tree
    self.reader = reader
  }

  /// The place behind the last line.
  var end: LinePlace {
    LinePlace(
      line: tree.count, item: tree.summary.itemCount, position: tree.summary.advance)
  }

  /// The line that holds an item: the first for those before it, the place behind the
  /// last for those behind.
  ///
  /// - Complexity: O(log lines) nodes; O(1) amortised for items in order.
  mutating func line(of item: Int) throws -> LinePlace {
    if tree.isEmpty || item >= tree.summary.itemCount { return end }
    let item = max(0, item)
    if let line = walk(to: item) { return line }
    guard
      let found = try tree.firstLeaf(from: LinePlace(), where: { $0.item > item }, reader: reader)
    else { return end }
    (leaf, before, current) = (found.leaf, found.before, found.before)
    guard let line = walk(to: item) else { throw Self.miscounted }
    return line
  }

  /// The line that holds an item, if it is one of the leaf.
  private mutating func walk(to item: Int) -> LinePlace? {
    if item < before.item { return nil }
    if item < current.item { current = before }
    while current.line < before.line + leaf.count {
      var next = current
      next.pass(current.line - before.line, of: leaf)
      if next.item > item { return current }
      current = next
    }
    return nil
  }

  private static var miscounted: DamagedLayout {
    DamagedLayout(detail: "its lines hold fewer items than they say")
  }

  /// The line that starts with an item, or the place behind the last line for the
  /// number of all items; `nil` where the item stands within a line.
  ///
  /// - Complexity: As ``line(of:)``.
  mutating func line(startingWith item: Int) throws -> LinePlace? {
    let line = try line(of: item)
    return line.item == item ? line : nil
  }

  /// The place behind a line; `nil` behind the last.
  ///
  /// - Complexity: As ``line(of:)``.
  mutating func place(behind line: LinePlace) throws -> LinePlace? {
    if line.line >= tree.count { return nil }
    var next = try self.line(of: line.item)
    guard next.line < before.line + leaf.count else { throw Self.miscounted }
    next.pass(next.line - before.line, of: leaf)
    return next
  }
}
