/// The effect of edits on the nodes of a tree: the work done, and the stored nodes that the new
/// version no longer needs.
///
/// It accumulates over the edits of a session, over trees of any leaf types. Snapshots may
/// still use the listed stored nodes; the owner decides when to delete them.
@usableFromInline package struct TreeEdits: Sendable, Equatable {
  /// The number of nodes created.
  @usableFromInline package var createdNodes = 0

  /// The number of nodes replaced or removed before they were stored.
  @usableFromInline var passedNodes = 0

  /// The number of created nodes that must still be stored.
  @inlinable
  package var dirtyNodes: Int { max(0, createdNodes - passedNodes) }

  /// The stored nodes that were replaced or removed individually.
  @usableFromInline package var obsolete: [NodeID] { blocks.flatMap { $0 } }

  /// The same in blocks, all full except the last. A caller that retains a state per edit then
  /// copies one block each time, not all nodes since the last checkpoint.
  @usableFromInline var blocks: [[NodeID]] = []

  /// The stored inner nodes that were removed with everything below them. They have not been
  /// read; see `StoredSubtree.forEachNode(in:_:)`.
  @usableFromInline package var dropped: [StoredSubtree] = []

  @usableFromInline package init() {}

  /// Adds the effects of the next edit.
  @inlinable
  mutating func append(_ next: TreeEdits) {
    createdNodes += next.createdNodes
    passedNodes += next.passedNodes
    for block in next.blocks {
      for id in block { appendObsolete(id) }
    }
    dropped += next.dropped
  }

  /// Records that a node is replaced.
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

  /// Records that a whole tree is removed, without reading it.
  ///
  /// - Complexity: O(dirty nodes · fanOut).
  @inlinable
  package mutating func drop<Leaf>(_ tree: SumTree<Leaf>) {
    if let root = tree.root { drop(root, height: tree.height) }
  }

  /// Records that a node is removed with everything below it.
  @inlinable
  mutating func drop<Leaf: TreeLeaf>(_ child: Child<Leaf>, height: Int) {
    if height == 0 {
      replace(child.ref)
    } else if let id = child.ref.id {
      dropped.append(StoredSubtree(id: id, height: height, count: child.count, leaf: Leaf.self))
    } else if let node = child.ref.node {
      // A dirty node is always in memory; stored nodes may be below it.
      passedNodes += 1
      for grandchild in node.children { drop(grandchild, height: height - 1) }
    }
  }
}

/// The number of nodes in a full block of `TreeEdits`.
@usableFromInline let obsoleteBlockCount = 128
