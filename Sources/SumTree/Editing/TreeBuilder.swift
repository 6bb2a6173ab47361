/// Builds a tree from front to back in constant memory.
///
/// Elements arrive in runs of any length and are put in leaves that are three quarters full
/// (`TreeShape.elementsBuilt`), so that the first insertions split none. With a sink, each node is
/// written and released as soon as it is complete: at any time at most `fanOut + childrenMin`
/// children per level are pending, and one run. Inner nodes are full, except that the last two of
/// each level share evenly if the last would be less than a third full.
///
///     var builder = TreeBuilder<Line>(shape: shape, sink: store)
///     while let lines = try source.read() { try builder.append(lines) }
///     let tree = try builder.finish()
///
/// After a throw a builder must no longer be used; the nodes it wrote belong to no tree.
@usableFromInline package struct TreeBuilder<Leaf: TreeLeaf> {
  /// The size of nodes.
  @usableFromInline package let shape: TreeShape

  /// The number of nodes created; complete after `finish()`.
  @usableFromInline var nodeCount = 0
  @usableFromInline package var createdNodes: Int { nodeCount }

  @usableFromInline let sink: (any NodeSink)?
  @usableFromInline let finishLeaf: (inout Leaf) throws -> Void
  @usableFromInline var payload = ByteWriter()

  /// The elements that are not in a leaf yet.
  @usableFromInline var rest: Leaf?

  /// The nodes without a parent yet, by height.
  @usableFromInline var pending: [ContiguousArray<Child<Leaf>>] = [[]]

  /// Creates a builder of a new tree.
  ///
  /// - Parameters:
  ///   - sink: The destination of nodes; `nil` to keep them in memory, dirty.
  ///   - finishLeaf: Called once with each leaf, in document order, before it becomes a node;
  ///     may change everything except the number of elements.
  @inlinable
  package init(
    shape: TreeShape, sink: (any NodeSink)? = nil,
    finishLeaf: @escaping (inout Leaf) throws -> Void = { _ in }
  ) {
    self.shape = shape
    self.sink = sink
    self.finishLeaf = finishLeaf
  }

  /// Appends elements.
  ///
  /// - Throws: The errors of the sink and of `finishLeaf`.
  /// - Complexity: O(run.count + leafCapacity), amortised; a run shorter than a leaf is copied
  ///   once for each run that completes the leaf.
  @inlinable
  package mutating func append(_ run: Leaf) throws {
    guard run.count > 0 else { return }
    let elements = rest.map { $0.joined(with: run) } ?? run
    var start = 0
    // The retained elements suffice for the last leaf.
    while elements.count - start >= shape.elementsBuilt + shape.elementsMin {
      try emitLeaf(elements.slice(start..<start + shape.elementsBuilt))
      start += shape.elementsBuilt
    }
    rest = start == 0 ? elements : elements.slice(start..<elements.count)
  }

  /// Completes the tree. The builder must no longer be used.
  ///
  /// With a sink, the tree is stored and none of it is in memory.
  ///
  /// - Throws: The errors of the sink and of `finishLeaf`.
  @inlinable
  package mutating func finish() throws -> SumTree<Leaf> {
    guard let rest else { return SumTree(shape: shape) }
    // The last leaf has free room too, unless it is the only one.
    let countMax = nodeCount == 0 ? shape.leafCapacity : shape.elementsBuilt
    for range in shape.leaves(for: rest.count, inOneUpTo: countMax) {
      try emitLeaf(rest.slice(range))
    }
    self.rest = nil
    var height = 0
    while height + 1 < pending.count || pending[height].count > 1 {
      let children = pending[height]
      pending[height] = []
      height += 1
      for range in shape.nodes(for: children.count) {
        try emit(.inner(height: height, children: Children(children[range])))
      }
    }
    let tree = SumTree(shape: shape, root: pending[height].first, height: height)
    assert(tree.holdsInvariantsIfChecked)
    return tree
  }

  @inlinable
  mutating func emitLeaf(_ leaf: Leaf) throws {
    var leaf = leaf
    let count = leaf.count
    try finishLeaf(&leaf)
    precondition(leaf.count == count, "Finishing a leaf keeps the number of elements.")
    try emit(.leaf(leaf))
  }

  /// Completes a node, and those above it that become full.
  @inlinable
  mutating func emit(_ content: Node<Leaf>.Content) throws {
    let height: Int
    var child: Child<Leaf>
    var childIDs: [NodeID] = []
    switch content {
    case .leaf(let leaf):
      height = 0
      child = Child(leaf: leaf)
    case .inner(let level, let children):
      height = level
      child = Child(height: level, children: children)
      if sink != nil { childIDs = children.compactMap(\.ref.id) }
    }
    nodeCount += 1
    if let sink, let node = child.ref.node {
      payload.removeAll()
      node.encode(into: &payload, childIDs: childIDs)
      let ref = NodeRef<Leaf>(try sink.write(payload))
      child = Child(summary: child.summary, count: child.count, ref: ref)
    }
    if height == pending.count { pending.append([]) }
    pending[height].append(child)
    // The retained nodes suffice for the last two of the level.
    guard pending[height].count >= shape.fanOut + shape.childrenMin else { return }
    let full = Children(pending[height].prefix(shape.fanOut))
    pending[height].removeFirst(shape.fanOut)
    try emit(.inner(height: height + 1, children: full))
  }
}
