/// The children of an inner node, in document order, seen as `Child`.
///
/// One array for each member. Edits copy them along a path: summaries without
/// memory of their own and counts as plain bytes, and the counts not at all where
/// they stay the same. An array of `Child`, whose layout depends on the leaf's
/// summary, is copied and destroyed by unspecialised witnesses, some hundred
/// instructions a child.
@usableFromInline package struct Children<Leaf: TreeLeaf>: RandomAccessCollection, Sendable {
  @usableFromInline var summaries: ContiguousArray<Leaf.LeafSummary> = []
  @usableFromInline var counts: ContiguousArray<Int> = []
  @usableFromInline var cells: ContiguousArray<NodeCell> = []

  @inlinable
  init() {}

  @inlinable
  init(_ children: some Collection<Child<Leaf>>) {
    reserveCapacity(children.count)
    for child in children { append(child) }
  }

  @inlinable package var startIndex: Int { 0 }
  @inlinable package var endIndex: Int { counts.count }

  @inlinable
  package subscript(index: Int) -> Child<Leaf> {
    Child(summary: summaries[index], count: counts[index], ref: NodeRef(cells[index]))
  }

  /// The product of the summaries, and the sum of the counts.
  @inlinable
  var total: (summary: Leaf.LeafSummary, count: Int) {
    var summary = Leaf.LeafSummary.identity
    var count = 0
    for index in summaries.indices { summary.append(summaries[index]) }
    for index in counts.indices { count += counts[index] }
    return (summary, count)
  }

  @inlinable
  mutating func reserveCapacity(_ count: Int) {
    summaries.reserveCapacity(count)
    counts.reserveCapacity(count)
    cells.reserveCapacity(count)
  }

  @inlinable
  mutating func append(_ child: Child<Leaf>) {
    summaries.append(child.summary)
    counts.append(child.count)
    cells.append(child.ref.cell)
  }

  /// Appends the children of a range of others.
  @inlinable
  mutating func append(_ range: Range<Int>, of other: Children) {
    NodeCell.prefetch(other.cells[range])
    summaries.append(contentsOf: other.summaries[range])
    counts.append(contentsOf: other.counts[range])
    cells.append(contentsOf: other.cells[range])
  }

  /// Returns the children of a range.
  @inlinable
  func slice(_ range: Range<Int>) -> Children {
    var slice = Children()
    slice.reserveCapacity(range.count)
    slice.append(range, of: self)
    return slice
  }

  /// Returns these children with another one at an index.
  @inlinable
  func replacing(at index: Int, with child: Child<Leaf>) -> Children {
    var children = self
    NodeCell.prefetch(cells[...])
    children.replace(at: index, with: child)
    return children
  }

  /// Puts another child at an index.
  @inlinable
  mutating func replace(at index: Int, with child: Child<Leaf>) {
    summaries[index] = child.summary
    if counts[index] != child.count { counts[index] = child.count }
    cells[index] = child.ref.cell
  }

  /// Returns the children of `head` before index `headEnd`, then `middle`, then
  /// those of `tail` from index `tailStart` on.
  @inlinable
  static func spliced(
    _ head: Children, upTo headEnd: Int, with middle: ContiguousArray<Child<Leaf>>,
    from tailStart: Int, of tail: Children
  ) -> Children {
    var children = Children()
    children.reserveCapacity(headEnd + middle.count + tail.count - tailStart)
    children.append(0..<headEnd, of: head)
    for child in middle { children.append(child) }
    children.append(tailStart..<tail.count, of: tail)
    return children
  }
}
