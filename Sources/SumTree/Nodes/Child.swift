/// A node as recorded in its parent: the facts known without loading it.
@usableFromInline package struct Child<Leaf: TreeLeaf>: Sendable {
  /// The product of the summaries of the leaves below.
  @usableFromInline package let summary: Leaf.LeafSummary

  /// The number of elements below; at least 1.
  @usableFromInline package let count: Int

  /// The node.
  @usableFromInline package let ref: NodeRef<Leaf>

  @inlinable
  init(summary: Leaf.LeafSummary, count: Int, ref: NodeRef<Leaf>) {
    assert(count > 0)
    self.summary = summary
    self.count = count
    self.ref = ref
  }

  /// Creates a dirty leaf node.
  ///
  /// - Parameter old: Its origin, if any.
  @inlinable
  init(leaf: Leaf, madeFrom old: NodeRef<Leaf>? = nil) {
    self.init(
      summary: leaf.summary, count: leaf.count,
      ref: NodeRef(Node(.leaf(leaf)), madeFrom: old))
  }

  /// Creates a dirty inner node.
  ///
  /// - Parameter old: Its origin, if any.
  @inlinable
  init(height: Int, children: Children<Leaf>, madeFrom old: NodeRef<Leaf>? = nil) {
    var children = children
    children.multiplyRuns()
    let total = children.total
    self.init(
      summary: total.summary, count: total.count,
      ref: NodeRef(Node(.inner(height: height, children: children)), madeFrom: old))
  }
}
