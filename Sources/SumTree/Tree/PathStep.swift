/// An inner node on a path from the root to a leaf, with the next child on the path.
@usableFromInline
struct PathStep<Leaf: TreeLeaf> {
  @usableFromInline let node: Node<Leaf>

  /// The index of the child; -1 before the first one.
  @usableFromInline var index: Int

  @inlinable
  init(node: Node<Leaf>, index: Int) {
    self.node = node
    self.index = index
  }
}
