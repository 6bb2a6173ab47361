/// Builds a tree from front to back in constant memory.
///
/// Elements arrive in runs of any length and leave as full leaves. With a sink,
/// each node is written as soon as it is complete and then forgotten: at any
/// time at most `fanOut + childrenMin` children a level are pending, and one
/// run. Leaves and nodes are full, except that the last two of each level share
/// evenly where the last would be less than a third full.
///
///     var builder = TreeBuilder<Line>(shape: shape, sink: store)
///     while let lines = try source.read() { try builder.append(lines) }
///     let tree = try builder.finish()
///
/// After a throw a builder must not be used any more; what it wrote belongs to
/// no tree.
public struct TreeBuilder<Leaf: TreeLeaf> {
  /// How large nodes are.
  public let shape: TreeShape

  /// What has been done so far; complete after `finish()`.
  public var edits: TreeEdits { record }

  @usableFromInline let sink: (any NodeSink)?
  @usableFromInline let finishLeaf: (inout Leaf) throws -> Void
  @usableFromInline var record = TreeEdits()
  @usableFromInline var payload = ByteWriter()

  /// The elements that are in no leaf yet.
  @usableFromInline var rest: Leaf?

  /// The nodes that have no parent yet, by height.
  @usableFromInline var pending: [ContiguousArray<Child<Leaf>>] = [[]]

  /// Where the first leaf that this builder makes starts, and where the next
  /// one will.
  @usableFromInline var firstStart = 0
  @usableFromInline var nextStart = 0

  /// Creates a builder of a new tree.
  ///
  /// - Parameters:
  ///   - sink: Where nodes are written; `nil` to keep them in memory, dirty.
  ///   - finishLeaf: Called once with each leaf, in document order, before it
  ///     becomes a node; may change all but the number of elements.
  @inlinable
  public init(
    shape: TreeShape, sink: (any NodeSink)? = nil,
    finishLeaf: @escaping (inout Leaf) throws -> Void = { _ in }
  ) {
    self.shape = shape
    self.sink = sink
    self.finishLeaf = finishLeaf
  }

  /// Creates a builder whose tree starts with all elements of another one.
  ///
  /// The nodes from the root to the last leaf are opened and made again; their
  /// ids are in `edits.obsolete`. `finishLeaf` is called for that leaf too. The
  /// other tree is unchanged.
  ///
  /// - Precondition: With a sink, `tree` is not dirty.
  /// - Throws: What resolving nodes throws; see `TreeReader`.
  /// - Complexity: O(fanOut · height); visits `height + 1` nodes.
  @inlinable
  public init(
    extending tree: SumTree<Leaf>, reader: TreeReader, sink: (any NodeSink)? = nil,
    finishLeaf: @escaping (inout Leaf) throws -> Void = { _ in }
  ) throws {
    precondition(sink == nil || !tree.isDirty, "Store and publish the tree first.")
    self.init(shape: tree.shape, sink: sink, finishLeaf: finishLeaf)
    guard var child = tree.root else { return }
    pending = Array(repeating: [], count: tree.height + 1)
    record.replace(child.ref)
    for height in stride(from: tree.height, to: 0, by: -1) {
      let children = try reader.resolve(child, height: height).children
      pending[height - 1] = ContiguousArray(children.dropLast())
      child = children[children.count - 1]
      record.replace(child.ref)
    }
    rest = try reader.resolve(child, height: 0).leaf
    firstStart = tree.count - child.count
    nextStart = firstStart
  }

  /// Appends elements.
  ///
  /// - Throws: What the sink and `finishLeaf` throw.
  /// - Complexity: O(run.count + leafCapacity), amortised; a run shorter than a
  ///   leaf is copied once for each run that completes the leaf.
  @inlinable
  public mutating func append(_ run: Leaf) throws {
    guard run.count > 0 else { return }
    let text = rest.map { $0.joined(with: run) } ?? run
    var start = 0
    while text.count - start >= shape.leafCapacity + shape.elementsMin {
      try emitLeaf(text.slice(start..<start + shape.leafCapacity))
      start += shape.leafCapacity
    }
    rest = start == 0 ? text : text.slice(start..<text.count)
  }

  /// Completes the tree. The builder must not be used any more.
  ///
  /// With a sink, the tree is stored and nothing of it is in memory.
  ///
  /// - Throws: What the sink and `finishLeaf` throw.
  @inlinable
  public mutating func finish() throws -> SumTree<Leaf> {
    guard let rest else { return SumTree(shape: shape) }
    for range in shape.leaves(for: rest.count) { try emitLeaf(rest.slice(range)) }
    self.rest = nil
    record.createdLeaves = firstStart..<nextStart
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
    nextStart += count
    try emit(.leaf(leaf))
  }

  /// Completes a node, and those above it that this fills.
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
    record.createdNodes += 1
    if let sink, let node = child.ref.node {
      payload.removeAll()
      node.encode(into: &payload, childIDs: childIDs)
      let ref = NodeRef<Leaf>(try sink.write(payload))
      child = Child(summary: child.summary, count: child.count, ref: ref)
    }
    if height == pending.count { pending.append([]) }
    pending[height].append(child)
    // What is held back suffices for the last two nodes of the level.
    guard pending[height].count >= shape.fanOut + shape.childrenMin else { return }
    let full = Children(pending[height].prefix(shape.fanOut))
    pending[height].removeFirst(shape.fanOut)
    try emit(.inner(height: height + 1, children: full))
  }
}
