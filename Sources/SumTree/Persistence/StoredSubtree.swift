/// A stored node together with everything below it, dropped by an edit: the data required to
/// enumerate its nodes later.
@usableFromInline package struct StoredSubtree: Sendable {
  /// The topmost node.
  @usableFromInline package let id: NodeID

  /// The number of levels below it; at least 1.
  @usableFromInline package let height: Int

  /// The number of elements below it.
  @usableFromInline package let count: Int

  /// The kind of its leaves, which determines how its nodes are read.
  @usableFromInline let leaf: any TreeLeaf.Type

  @inlinable
  package init(id: NodeID, height: Int, count: Int, leaf: any TreeLeaf.Type) {
    self.id = id
    self.height = height
    self.count = count
    self.leaf = leaf
  }

  /// Calls `body` with the ID and height of every node, parents before their children; it may
  /// delete them.
  ///
  /// - Throws: The errors of resolving nodes and of `body`.
  /// - Complexity: O(nodes in the subtree); reads its inner nodes.
  @usableFromInline package func forEachNode(
    in session: TreeSession, _ body: (_ id: NodeID, _ height: Int) throws -> Void
  ) throws {
    func enumerate<Leaf: TreeLeaf>(_ leaf: Leaf.Type) throws {
      try SumTree<Leaf>.forEachStoredNode(
        under: NodeRef(id), height: height, count: count, in: session, body)
    }
    try enumerate(leaf)
  }
}

extension StoredSubtree: Hashable {
  @inlinable
  package static func == (left: Self, right: Self) -> Bool {
    (left.id, left.height, left.count) == (right.id, right.height, right.count)
  }

  @inlinable
  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension SumTree {
  @inlinable
  static func forEachStoredNode(
    under ref: NodeRef<Leaf>, height: Int, count: Int, in session: TreeSession,
    _ body: (_ id: NodeID, _ height: Int) throws -> Void
  ) throws {
    // Before `body`, which may delete the node. Its summary is no longer needed.
    let node =
      height > 0
      ? try session.resolve(ref, height: height, count: count, summary: nil) : nil
    if let id = ref.id { try body(id, height) }
    guard let node else { return }
    for child in node.children {
      try forEachStoredNode(
        under: child.ref, height: height - 1, count: child.count, in: session, body)
    }
  }
}

/// The data required to open a stored tree: its root node's ID, and the facts that a parent
/// would record.
@usableFromInline package struct StoredRoot<TreeSummary: Summary>: Equatable, Sendable {
  /// The root node.
  @usableFromInline package let id: NodeID

  /// The number of levels above the leaves, 0 through `TreeShape.storedHeightMax`.
  @usableFromInline package let height: Int

  /// The number of elements; at least 1.
  @usableFromInline package let count: Int

  /// The product of all elements' summaries.
  @usableFromInline package let summary: TreeSummary

  /// The greatest valid count in a file, far below overflow.
  @usableFromInline static var countMax: Int { 1 << 48 }

  @inlinable
  package init(id: NodeID, height: Int, count: Int, summary: TreeSummary) {
    self.id = id
    self.height = height
    self.count = count
    self.summary = summary
  }

  /// Appends the root's bytes: id (varint), height (u8), count (varint), and the summary.
  @inlinable
  package func encode(into writer: inout ByteWriter) {
    writer.writeVarint(id.rawValue)
    writer.writeUInt8(UInt8(height))
    writer.writeCount(count)
    summary.encode(into: &writer)
  }

  /// Reads a root.
  ///
  /// - Throws: `ByteError` for bytes that `encode(into:)` cannot have written.
  @inlinable
  package init(from reader: inout ByteReader) throws(ByteError) {
    id = try reader.readNodeID()
    height = Int(try reader.readUInt8())
    guard height <= TreeShape.storedHeightMax else { throw reader.malformed("root height") }
    count = try reader.readCount(limit: Self.countMax)
    guard count > 0 else { throw reader.malformed("a stored tree is never empty") }
    summary = try TreeSummary(from: &reader)
  }
}
