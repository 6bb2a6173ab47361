extension SumTree {
  /// Opens a stored tree without reading any node.
  ///
  /// - Parameter storedRoot: The root, or `nil` for an empty tree.
  /// - Precondition: `shape` is the one the tree was stored with.
  @inlinable
  package init(shape: TreeShape, storedRoot: StoredRoot<Leaf.LeafSummary>?) {
    guard let storedRoot else {
      self.init(shape: shape)
      return
    }
    let root = Child<Leaf>(
      summary: storedRoot.summary, count: storedRoot.count, ref: NodeRef(storedRoot.id))
    self.init(shape: shape, root: root, height: storedRoot.height)
  }

  /// Creates a tree of one leaf, which exists only in memory.
  ///
  /// - Precondition: The leaf has elements.
  @inlinable
  package init(shape: TreeShape, leaf: Leaf) {
    self.init(shape: shape, root: Child(leaf: leaf), height: 0)
  }

  /// The only leaf of a tree that exists only in memory, otherwise `nil`.
  @inlinable
  package var soleDirtyLeaf: Leaf? {
    guard height == 0, let root, root.ref.id == nil else { return nil }
    return root.ref.node?.leaf
  }

  /// Whether some node exists only in memory. An empty tree is clean.
  @inlinable
  package var isDirty: Bool {
    // Nodes are stored children first, so the root is the last to become clean.
    root.map { $0.ref.id == nil } ?? false
  }

  /// The reference that opens this tree again, or `nil` while it is dirty or empty.
  @inlinable
  package var storedRoot: StoredRoot<Leaf.LeafSummary>? {
    guard let root, let id = root.ref.id else { return nil }
    return StoredRoot(id: id, height: height, count: root.count, summary: root.summary)
  }

  /// Returns the same tree with only its dirty nodes in memory, to release loaded nodes.
  ///
  /// - Parameter unload: Unloads the trees that a dirty leaf's elements may hold; it must
  ///   return an equal leaf.
  /// - Complexity: O(dirty nodes · fanOut).
  @inlinable
  package func unloaded(_ unload: (Leaf) -> Leaf = { $0 }) -> SumTree {
    guard let root else { return self }
    return SumTree(shape: shape, root: Self.unloaded(root, unload), height: height)
  }

  @inlinable
  static func unloaded(_ child: Child<Leaf>, _ unload: (Leaf) -> Leaf) -> Child<Leaf> {
    if let id = child.ref.id {
      return Child(summary: child.summary, count: child.count, ref: NodeRef(id))
    }
    guard let node = child.ref.node else {
      preconditionFailure("A dirty node is always in memory.")
    }
    let content: Node<Leaf>.Content =
      switch node.content {
      case .leaf(let leaf): .leaf(unload(leaf))
      case .inner(let height, let children):
        .inner(
          height: height, children: Children(children.map { unloaded($0, unload) }))
      }
    return Child(
      summary: child.summary, count: child.count, ref: NodeRef(Node(content), madeFrom: child.ref))
  }

  /// Calls `body` with every leaf that exists only in memory, in document order.
  ///
  /// - Throws: The errors of `body`.
  /// - Complexity: O(dirty nodes · fanOut); clean subtrees are not visited.
  @inlinable
  package func forEachDirtyLeaf(_ body: (Leaf) throws -> Void) rethrows {
    guard let root else { return }
    try Self.forEachDirtyLeaf(under: root, body)
  }

  @inlinable
  static func forEachDirtyLeaf(
    under child: Child<Leaf>, _ body: (Leaf) throws -> Void
  ) rethrows {
    guard child.ref.id == nil else { return }
    guard let node = child.ref.node else {
      preconditionFailure("A dirty node is always in memory.")
    }
    switch node.content {
    case .leaf(let leaf): try body(leaf)
    case .inner(_, let children):
      for child in children { try forEachDirtyLeaf(under: child, body) }
    }
  }

  /// Writes all dirty nodes, children before their parents.
  ///
  /// The tree stays dirty until `publish()` is called on the result, so that a rolled-back
  /// transaction leaves no IDs: drop the result and store again. Publish before the tree is edited
  /// further; otherwise the edit treats the nodes as unstored and does not report them as obsolete.
  ///
  /// - Throws: The sink's errors; the tree is unchanged.
  /// - Complexity: O(dirty nodes); clean subtrees are not visited.
  @inlinable
  package func store(into sink: any NodeSink) throws -> StoredTree<Leaf> {
    guard let root else { return StoredTree(root: nil, assignments: []) }
    var writer = DirtyNodeWriter<Leaf>(sink: sink)
    let id = try writer.write(root)
    return StoredTree(
      root: StoredRoot(id: id, height: height, count: root.count, summary: root.summary),
      assignments: writer.assignments)
  }
}

/// A written tree, with the IDs that its nodes receive once the transaction is committed.
@usableFromInline package struct StoredTree<Leaf: TreeLeaf>: Sendable {
  /// The root for opening the tree again, or `nil` for an empty tree.
  @usableFromInline package let root: StoredRoot<Leaf.LeafSummary>?

  @usableFromInline let assignments: [Assignment]

  @usableFromInline
  struct Assignment: Sendable {
    @usableFromInline let ref: NodeRef<Leaf>
    @usableFromInline let id: NodeID

    @inlinable
    init(ref: NodeRef<Leaf>, id: NodeID) {
      self.ref = ref
      self.id = id
    }
  }

  @inlinable
  init(root: StoredRoot<Leaf.LeafSummary>?, assignments: [Assignment]) {
    self.root = root
    self.assignments = assignments
  }

  /// The number of nodes written.
  @inlinable
  package var nodesWritten: Int { assignments.count }

  /// Assigns the IDs to the nodes, in all versions that share them.
  ///
  /// - Precondition: No node has been assigned an ID since it was written; of two results that
  ///   wrote the same dirty nodes, only one may be published.
  @inlinable
  package func publish() {
    for assignment in assignments { assignment.ref.assign(assignment.id) }
  }
}

@usableFromInline
struct DirtyNodeWriter<Leaf: TreeLeaf> {
  @usableFromInline let sink: any NodeSink
  @usableFromInline var payload = ByteWriter(capacity: 4096)
  @usableFromInline var assignments: [StoredTree<Leaf>.Assignment] = []

  @inlinable
  init(sink: any NodeSink) {
    self.sink = sink
  }

  @inlinable
  mutating func write(_ child: Child<Leaf>) throws -> NodeID {
    if let id = child.ref.id { return id }
    guard let node = child.ref.node else {
      preconditionFailure("A dirty node is always in memory.")
    }
    var childIDs: [NodeID] = []
    if case .inner(_, let children) = node.content {
      childIDs.reserveCapacity(children.count)
      for child in children { childIDs.append(try write(child)) }
    }
    payload.removeAll()
    node.encode(into: &payload, childIDs: childIDs)
    let id = try sink.write(payload, madeFrom: child.ref.origin)
    assignments.append(StoredTree.Assignment(ref: child.ref, id: id))
    return id
  }
}
