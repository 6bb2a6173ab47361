/// An inner node on a path from the root to a leaf, and the child that the path
/// continues with.
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
