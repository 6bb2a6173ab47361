/// An immutable node: a leaf, or the children one level below.
///
/// Leaves have height 0; all children of a node of height `h` have height
/// `h - 1`.
@usableFromInline package final class Node<Leaf: TreeLeaf>: Sendable {
  /// A leaf, or the children.
  @usableFromInline package enum Content: Sendable {
    case leaf(Leaf)
    case inner(height: Int, children: Children<Leaf>)
  }

  @usableFromInline package let content: Content

  @inlinable
  init(_ content: Content) {
    self.content = content
  }

  /// The number of levels below this node.
  @inlinable
  package var height: Int {
    switch content {
    case .leaf: 0
    case .inner(let height, _): height
    }
  }

  /// The leaf.
  ///
  /// - Precondition: `height == 0`.
  @inlinable
  package var leaf: Leaf {
    guard case .leaf(let leaf) = content else { preconditionFailure("not a leaf") }
    return leaf
  }

  /// The children, in document order.
  ///
  /// - Precondition: `height > 0`.
  @inlinable
  package var children: Children<Leaf> {
    guard case .inner(_, let children) = content else { preconditionFailure("a leaf") }
    return children
  }

  /// The approximate memory this node occupies, in bytes; memory that
  /// summaries own elsewhere is not counted.
  @inlinable
  package var byteCount: Int {
    switch content {
    case .leaf(let leaf): nodeSizeBytes + leaf.byteCount
    case .inner(_, let children):
      nodeSizeBytes + children.count * (MemoryLayout<Child<Leaf>>.stride + refSizeBytes)
    }
  }
}

/// The object header, the content and the allocator's overhead.
@usableFromInline let nodeSizeBytes = 64

/// A `NodeCell`: object header, three words, the allocator's overhead.
@usableFromInline let refSizeBytes = 48
