/// The effect of edits on the nodes of a tree: the work done, and the stored nodes
/// that the new version does not need any more.
///
/// An account: it adds up over the edits of a session, of trees of any leaves. The
/// stored nodes listed may still be in use by snapshots; when to delete them is for
/// the owner to decide.
@usableFromInline package struct TreeEdits: Sendable, Equatable {
  /// The number of nodes made.
  @usableFromInline package var createdNodes = 0

  /// The nodes that were replaced or removed again before they were stored.
  @usableFromInline var passedNodes = 0

  /// The nodes made that are still to be stored.
  @inlinable
  package var dirtyNodes: Int { max(0, createdNodes - passedNodes) }

  /// The stored nodes that were replaced or removed, one by one.
  @usableFromInline package var obsolete: [NodeID] { blocks.flatMap { $0 } }

  /// The same in blocks, all but the last one full: whoever keeps a state for each
  /// edit copies one block with each, instead of all since the last checkpoint.
  @usableFromInline var blocks: [[NodeID]] = []

  /// The stored inner nodes that were removed with all that is below them. They
  /// have not been read; see `StoredSubtree.forEachNode(in:_:)`.
  @usableFromInline package var dropped: [StoredSubtree] = []

  @usableFromInline package init() {}

  /// Adds what the next edit did.
  @inlinable
  mutating func append(_ next: TreeEdits) {
    createdNodes += next.createdNodes
    passedNodes += next.passedNodes
    for block in next.blocks {
      for id in block { appendObsolete(id) }
    }
    dropped += next.dropped
  }

  /// Notes that a node is replaced.
  @inlinable
  mutating func replace<Leaf>(_ ref: NodeRef<Leaf>) {
    if let id = ref.id { appendObsolete(id) } else { passedNodes += 1 }
  }

  @inlinable
  mutating func appendObsolete(_ id: NodeID) {
    if let last = blocks.indices.last, blocks[last].count < obsoleteBlockCount {
      blocks[last].append(id)
    } else {
      blocks.append([id])
    }
  }

  /// Notes that a whole tree is removed, without reading it.
  ///
  /// - Complexity: O(dirty nodes · fanOut).
  @inlinable
  package mutating func drop<Leaf>(_ tree: SumTree<Leaf>) {
    if let root = tree.root { drop(root, height: tree.height) }
  }

  /// Notes that a node is removed with all that is below it.
  @inlinable
  mutating func drop<Leaf: TreeLeaf>(_ child: Child<Leaf>, height: Int) {
    if height == 0 {
      replace(child.ref)
    } else if let id = child.ref.id {
      dropped.append(
        StoredSubtree(id: id, height: height, count: child.count, leaf: Leaf.self))
    } else if let node = child.ref.node {
      // A dirty node is always in memory; what is stored hangs below it.
      passedNodes += 1
      for grandchild in node.children { drop(grandchild, height: height - 1) }
    }
  }
}

/// The nodes of a full block of `TreeEdits`.
@usableFromInline let obsoleteBlockCount = 128
