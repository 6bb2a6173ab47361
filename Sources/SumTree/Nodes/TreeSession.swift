/// One unit of work on trees: the access to their nodes, the count of visited nodes, and the
/// account of the effects of edits.
///
/// All nodes are accessed through a session: nodes in memory are returned, others are loaded
/// from the source and retained for later. A session belongs to one thread at a time; the trees
/// may be shared, and one session may edit trees of several leaf types.
@usableFromInline package final class TreeSession {
  /// The source of nodes; `nil` for trees that are entirely in memory.
  @usableFromInline let source: (any NodeSource)?
  @usableFromInline let keepsNodes: Bool

  // Each access is a single load or store in a class owned by one thread, so accesses never
  // overlap: the dynamic check on each visit is superfluous.
  @exclusivity(unchecked) @usableFromInline var visits = 0

  /// The effect of the edits so far on nodes; set it to continue an earlier account.
  @usableFromInline package var edits: TreeEdits

  /// The number of nodes visited, loaded or not.
  @inlinable
  package var nodesVisited: Int { visits }

  /// In a session that does not retain nodes: the last loaded node of each height, with its
  /// ref. Traversing a tree in short consecutive ranges visits the nodes above them repeatedly.
  @usableFromInline var lastLoaded: [(place: NodeCell, node: AnyObject)?] = []

  /// The number of nodes read from the source.
  @exclusivity(unchecked) @usableFromInline package private(set) var nodesLoaded = 0

  /// The memory of the nodes read from the source, in bytes.
  @exclusivity(unchecked) @usableFromInline package private(set) var bytesLoaded = 0

  /// Creates a session whose counts are zero.
  ///
  /// - Parameter source: The source of stored nodes. Without one, reading a node that is not in
  ///   memory throws `TreeError` `noSource`.
  /// - Parameter keepsNodes: Whether loaded nodes stay in memory with the tree. Pass `false`
  ///   for passes over whole trees, which then run in constant memory: that of the last node of
  ///   each height.
  /// - Parameter edits: The account to which edits are added.
  @usableFromInline package init(
    _ source: (any NodeSource)? = nil, keepsNodes: Bool = true, edits: TreeEdits = TreeEdits()
  ) {
    self.source = source
    self.keepsNodes = keepsNodes
    self.edits = edits
  }

  /// Runs `body` with another account, which then includes the effects of the edits in `body`.
  /// After a throw it is unchanged.
  @usableFromInline package func adding<Result>(
    to edits: inout TreeEdits, _ body: () throws -> Result
  ) rethrows -> Result {
    let own = self.edits
    self.edits = edits
    defer { self.edits = own }
    let result = try body()
    edits = self.edits
    return result
  }

  /// Returns the child's node, loading it if necessary.
  ///
  /// - Parameter height: The height required by the parent.
  /// - Throws: `TreeError` if the loaded node is malformed or contradicts its parent; the
  ///   source's errors.
  /// - Complexity: O(1) and no allocation if the node is in memory.
  @inlinable
  package func resolve<Leaf>(_ child: Child<Leaf>, height: Int) throws -> Node<Leaf> {
    try resolve(child.ref, height: height, count: child.count, summary: child.summary)
  }

  @inlinable
  func resolve<Leaf>(
    _ ref: NodeRef<Leaf>, height: Int, count: Int,
    summary: @autoclosure () -> Leaf.LeafSummary?
  ) throws -> Node<Leaf> {
    visits &+= 1
    if let node = ref.node {
      assert(node.height == height)
      return node
    }
    return try load(ref, height: height, count: count, summary: summary())
  }

  /// Resolves without retaining. The node lives as long as the ref, or is in `loaded`, if the
  /// session does not retain nodes.
  @inlinable
  @inline(__always)
  func borrow<Leaf>(
    _ ref: NodeRef<Leaf>, height: Int, count: Int,
    summary: @autoclosure () -> Leaf.LeafSummary, keeping loaded: inout [Node<Leaf>]
  ) throws -> Unmanaged<Node<Leaf>> {
    visits &+= 1
    if let node = ref.unmanagedNode { return node }
    let node = try load(ref, height: height, count: count, summary: summary())
    if !keepsNodes { loaded.append(node) }
    return Unmanaged.passUnretained(node)
  }

  @inlinable
  @inline(never)
  func load<Leaf>(
    _ ref: NodeRef<Leaf>, height: Int, count: Int, summary: Leaf.LeafSummary?
  ) throws -> Node<Leaf> {
    guard let id = ref.id else { preconditionFailure("A dirty node is always in memory.") }
    guard let source else { throw TreeError(.noSource, node: id) }
    if let node = lastLoaded(for: ref, height: height) { return node }
    let node = try source.withPayload(of: id) { reader in
      try Node<Leaf>.decode(from: &reader, id: id, height: height, count: count, summary: summary)
    }
    countLoad(bytes: node.byteCount)
    if keepsNodes { return ref.keep(node) }
    while lastLoaded.count <= height { lastLoaded.append(nil) }
    lastLoaded[height] = (ref.cell, node)
    return node
  }

  /// Returns the node if it was the last loaded of its height.
  @inlinable
  func lastLoaded<Leaf>(for ref: NodeRef<Leaf>, height: Int) -> Node<Leaf>? {
    guard height < lastLoaded.count, let last = lastLoaded[height], last.place === ref.cell
    else { return nil }
    return unsafeDowncast(last.node, to: Node<Leaf>.self)
  }

  /// Resets the counts to zero, for the next unit of work on the same source.
  @usableFromInline
  package func restart() {
    visits = 0
    nodesLoaded = 0
    bytesLoaded = 0
  }

  @usableFromInline
  func countLoad(bytes: Int) {
    nodesLoaded += 1
    bytesLoaded += bytes
  }
}
