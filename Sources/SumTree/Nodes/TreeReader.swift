/// The access of one query to the nodes of trees, and the count of its work.
///
/// Each node that a query looks at goes through its reader: nodes in memory are
/// handed over, others are loaded from the source and kept for whoever comes
/// next. A reader belongs to one thread at a time; the trees it reads may be
/// shared.
public final class TreeReader {
  /// Where nodes are loaded from; `nil` for trees that are entirely in memory.
  @usableFromInline let source: (any NodeSource)?
  @usableFromInline let keepsNodes: Bool

  // Each access is a single load or store in a class that one thread owns, and
  // nothing can overlap it: the dynamic check on each visit proves nothing.
  @exclusivity(unchecked) @usableFromInline var visits = 0

  /// The number of nodes looked at, loaded or not.
  @inlinable
  public var nodesVisited: Int { visits }

  /// The number of nodes read from the source.
  public private(set) var nodesLoaded = 0

  /// The memory of the nodes read from the source, in bytes.
  public private(set) var bytesLoaded = 0

  /// Creates a reader whose counts are zero.
  ///
  /// - Parameter source: Where stored nodes are loaded from. Without one,
  ///   reading a node that is not in memory throws `TreeError` `noSource`.
  /// - Parameter keepsNodes: Whether loaded nodes stay in memory with the
  ///   tree. Pass `false` for passes over whole trees, which then run in
  ///   constant memory.
  public init(_ source: (any NodeSource)? = nil, keepsNodes: Bool = true) {
    self.source = source
    self.keepsNodes = keepsNodes
  }

  /// Returns the child's node, loading it if necessary.
  ///
  /// - Parameter height: The height that the parent demands.
  /// - Throws: `TreeError` when the loaded node is malformed or contradicts its
  ///   parent; the source's errors.
  /// - Complexity: O(1) and no allocation when the node is in memory.
  @inlinable
  public func resolve<Leaf>(_ child: Child<Leaf>, height: Int) throws -> Node<Leaf> {
    try resolve(child.ref, height: height, count: child.count)
  }

  @inlinable
  func resolve<Leaf>(_ ref: NodeRef<Leaf>, height: Int, count: Int) throws -> Node<Leaf> {
    visits &+= 1
    if let node = ref.node {
      assert(node.height == height)
      return node
    }
    return try load(ref, height: height, count: count)
  }

  /// Resolves without retaining. The node lives as long as the ref, or
  /// as `loaded` if the reader does not keep nodes.
  @inlinable
  @inline(__always)
  func borrow<Leaf>(
    _ ref: NodeRef<Leaf>, height: Int, count: Int, keeping loaded: inout [Node<Leaf>]
  ) throws -> Unmanaged<Node<Leaf>> {
    visits &+= 1
    if let node = ref.unmanagedNode { return node }
    let node = try load(ref, height: height, count: count)
    if !keepsNodes { loaded.append(node) }
    return Unmanaged.passUnretained(node)
  }

  @inlinable
  @inline(never)
  func load<Leaf>(_ ref: NodeRef<Leaf>, height: Int, count: Int) throws -> Node<Leaf> {
    guard let id = ref.id else { preconditionFailure("A dirty node is always in memory.") }
    guard let source else { throw TreeError(.noSource, node: id) }
    let node = try source.withPayload(of: id) { reader in
      try Node<Leaf>.decode(from: &reader, id: id, height: height, count: count)
    }
    countLoad(bytes: node.byteCount)
    return keepsNodes ? ref.keep(node) : node
  }

  @usableFromInline
  func countLoad(bytes: Int) {
    nodesLoaded += 1
    bytesLoaded += bytes
  }
}
