/// A node seen from its parent: what the parent knows without loading it.
public struct Child<Leaf: TreeLeaf>: Sendable {
  /// The product of the summaries of the leaves below.
  public let summary: Leaf.LeafSummary

  /// The number of elements below; at least 1.
  public let count: Int

  /// The node.
  public let ref: NodeRef<Leaf>

  @inlinable
  init(summary: Leaf.LeafSummary, count: Int, ref: NodeRef<Leaf>) {
    assert(count > 0)
    self.summary = summary
    self.count = count
    self.ref = ref
  }

  /// Creates a dirty leaf node.
  @inlinable
  init(leaf: Leaf) {
    self.init(summary: leaf.summary, count: leaf.count, ref: NodeRef(Node(.leaf(leaf))))
  }

  /// Creates a dirty inner node.
  @inlinable
  init(height: Int, children: ContiguousArray<Child<Leaf>>) {
    let total = Self.total(of: children)
    self.init(
      summary: total.summary, count: total.count,
      ref: NodeRef(Node(.inner(height: height, children: children))))
  }

  /// The product of the children's summaries, and the sum of their counts.
  @inlinable
  static func total(
    of children: ContiguousArray<Child<Leaf>>
  ) -> (summary: Leaf.LeafSummary, count: Int) {
    var summary = Leaf.LeafSummary.identity
    var count = 0
    for index in children.indices {
      summary.append(children[index].summary)
      count += children[index].count
    }
    return (summary, count)
  }

  /// Returns the children of `head` before index `headEnd`, then `middle`, then
  /// those of `tail` from index `tailStart` on.
  ///
  /// Each child copied costs a retain of its ref, an atomic operation that waits
  /// for the ref's cache line before the next one may start. Hence the plain
  /// loads first: they overlap.
  @inlinable
  static func spliced(
    _ head: ContiguousArray<Child>, upTo headEnd: Int, with middle: ContiguousArray<Child>,
    from tailStart: Int, of tail: ContiguousArray<Child>
  ) -> ContiguousArray<Child> {
    for index in 0..<headEnd { head[index].ref.prefetch() }
    for index in tailStart..<tail.count { tail[index].ref.prefetch() }
    var children = ContiguousArray<Child>()
    children.reserveCapacity(headEnd + middle.count + tail.count - tailStart)
    // Element by element: appending slices copies through value witnesses.
    for index in 0..<headEnd { children.append(head[index]) }
    for child in middle { children.append(child) }
    for index in tailStart..<tail.count { children.append(tail[index]) }
    return children
  }
}
