/// An immutable node: a leaf, or the children one level below.
///
/// Leaves have height 0; all children of a node of height `h` have height `h - 1`.
@usableFromInline package final class Node<Leaf: TreeLeaf>: Sendable {
  /// A leaf, or the children.
  @usableFromInline package enum Content: Sendable {
    case leaf(Leaf)
    case inner(height: Int, children: Children<Leaf>)
  }

  /// The number of levels below this node.
  @usableFromInline package let height: Int

  // Two members instead of a `Content`: matching an enumeration copies its payload, which
  // retains each array in it.
  @usableFromInline let storedLeaf: Leaf?
  @usableFromInline let storedChildren: Children<Leaf>?

  @inlinable
  init(_ content: Content) {
    switch content {
    case .leaf(let leaf):
      height = 0
      storedLeaf = leaf
      storedChildren = nil
    case .inner(let height, var children):
      children.multiplyRuns()
      self.height = height
      storedLeaf = nil
      storedChildren = children
    }
  }

  /// The leaf, or the children, as a copy.
  @inlinable
  package var content: Content {
    height == 0 ? .leaf(leaf) : .inner(height: height, children: children)
  }

  /// The leaf.
  ///
  /// - Precondition: `height == 0`.
  @inlinable
  package var leaf: Leaf {
    // Yielded, because most callers read one or two elements: a copy would retain every array
    // of the leaf.
    _read {
      guard storedLeaf != nil else { preconditionFailure("not a leaf") }
      yield storedLeaf.unsafelyUnwrapped
    }
  }

  /// The children, in document order.
  ///
  /// - Precondition: `height > 0`.
  @inlinable
  package var children: Children<Leaf> {
    _read {
      guard storedChildren != nil else { preconditionFailure("a leaf") }
      yield storedChildren.unsafelyUnwrapped
    }
  }

  /// The approximate memory of this node, in bytes; excluding heap memory of summaries.
  @inlinable
  package var byteCount: Int {
    if height == 0 { return nodeSizeBytes + leaf.byteCount }
    return nodeSizeBytes
      + children.count * (MemoryLayout<Child<Leaf>>.stride + refSizeBytes)
      + children.runs.count * MemoryLayout<Leaf.LeafSummary>.stride
  }
}

/// The object header, the members and the allocator's overhead.
@usableFromInline let nodeSizeBytes = 104

/// A `NodeCell`: object header, three words, the allocator's overhead.
@usableFromInline let refSizeBytes = 48
