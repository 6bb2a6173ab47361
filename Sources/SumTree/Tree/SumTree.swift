/// A persistent sequence of elements in leaves, with a product of summaries in every node.
///
/// A tree is a value: copying it is O(1), and an edit creates new nodes along one or two paths and
/// shares all others with earlier versions. Nodes are either in memory or stored under an ID, and
/// are loaded when a query first visits them; a tree of any size opens by its `StoredRoot`.
///
///     var tree = SumTree<Line>(shape: TreeShape(leafCapacity: 64, fanOut: 32))
///     let session = TreeSession()
///     try tree.replaceSubrange(0..<0, with: lines, in: session)
///     let (leaf, start) = try tree.leaf(containing: 17, in: session)
///
/// A B+ tree: all leaves are equally deep, no node except the root is less than a third full
/// (see `TreeShape`), and no node is empty. The summaries are only ever multiplied, in order;
/// see `Summary`.
///
/// A tree does not interpret its elements and does not look inside leaves; a seek returns a
/// leaf, which the caller walks.
///
/// Source: the interface follows zed's `sum_tree`
/// (https://github.com/zed-industries/zed/tree/main/crates/sum_tree); there,
/// nodes are never on disk, and edits are cursor slices pushed together.
@usableFromInline package struct SumTree<Leaf: TreeLeaf>: Sendable {
  /// The size of nodes.
  @usableFromInline package let shape: TreeShape

  /// The number of levels above the leaves; 0 when empty.
  @usableFromInline package let height: Int

  /// The root; `nil` when empty.
  @usableFromInline let root: Child<Leaf>?

  @inlinable
  init(shape: TreeShape, root: Child<Leaf>?, height: Int) {
    assert(root != nil || height == 0)
    self.shape = shape
    self.root = root
    self.height = height
  }

  /// Creates an empty tree.
  @inlinable
  package init(shape: TreeShape) {
    self.init(shape: shape, root: nil, height: 0)
  }

  /// Returns the same tree with another node size for later edits. Its invariants hold only if
  /// its nodes have that size already.
  @inlinable
  package func shaped(_ shape: TreeShape) -> SumTree {
    SumTree(shape: shape, root: root, height: height)
  }

  /// The number of elements.
  @inlinable
  package var count: Int { root?.count ?? 0 }

  /// The product of all elements' summaries.
  @inlinable
  package var summary: Leaf.LeafSummary { root?.summary ?? .identity }

  /// Whether there are no elements.
  @inlinable
  package var isEmpty: Bool { root == nil }
}
