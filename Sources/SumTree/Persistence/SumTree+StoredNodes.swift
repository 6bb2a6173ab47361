extension SumTree {
  /// Calls `body` with the id and height of every stored node, parents before
  /// their children.
  ///
  /// Leaves are enumerated by their parents and not read. Dirty nodes have no
  /// id and are passed through. With a reader that does not keep nodes, the
  /// pass runs in constant memory.
  ///
  /// - Throws: What resolving nodes and `body` throw.
  /// - Complexity: O(nodes); reads all inner nodes.
  @inlinable
  public func forEachStoredNode(
    reader: TreeReader, _ body: (_ id: NodeID, _ height: Int) throws -> Void
  ) throws {
    guard let root else { return }
    try Self.forEachStoredNode(
      under: root.ref, height: height, count: root.count, reader: reader, body)
  }

  /// Calls `body` with the id and height of every node of a subtree that edits
  /// dropped, parents before their children, so that they can be deleted.
  ///
  /// - Throws: What resolving nodes and `body` throw.
  /// - Complexity: O(nodes in the subtree); reads its inner nodes.
  @inlinable
  public static func forEachStoredNode(
    in subtree: StoredSubtree, reader: TreeReader,
    _ body: (_ id: NodeID, _ height: Int) throws -> Void
  ) throws {
    try forEachStoredNode(
      under: NodeRef(subtree.id), height: subtree.height, count: subtree.count, reader: reader,
      body)
  }

  @inlinable
  static func forEachStoredNode(
    under ref: NodeRef<Leaf>, height: Int, count: Int, reader: TreeReader,
    _ body: (_ id: NodeID, _ height: Int) throws -> Void
  ) throws {
    // The children first: `body` may delete the node.
    let node = height > 0 ? try reader.resolve(ref, height: height, count: count) : nil
    if let id = ref.id { try body(id, height) }
    guard let node else { return }
    for child in node.children {
      try forEachStoredNode(
        under: child.ref, height: height - 1, count: child.count, reader: reader, body)
    }
  }
}
