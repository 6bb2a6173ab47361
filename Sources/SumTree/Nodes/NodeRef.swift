public import Synchronization

/// A place for one node: its id once it is stored, and the node itself once it
/// is in memory. Shared by all versions of the tree that contain the node.
///
/// A ref is in one of three states and moves only forward:
///
/// - *dirty*: no id; the node is in memory and nowhere else
/// - *stored, not loaded*: an id and no node
/// - *stored and loaded*
///
/// Both fields are set at most once and may be read from any thread.
@usableFromInline package struct NodeRef<Leaf: TreeLeaf>: Sendable {
  @usableFromInline let cell: NodeCell

  @inlinable
  init(_ cell: NodeCell) {
    self.cell = cell
  }

  /// Creates a dirty ref.
  ///
  /// - Parameter old: The node that an edit has made this one from, if any.
  @inlinable
  init(_ node: Node<Leaf>, madeFrom old: NodeRef? = nil) {
    cell = NodeCell(
      id: 0, origin: old.map { ($0.id ?? $0.origin)?.rawValue ?? 0 } ?? 0,
      node: Unmanaged.passRetained(node).toOpaque())
  }

  /// Creates a ref to a stored node that is not in memory.
  @inlinable
  init(_ id: NodeID) {
    cell = NodeCell(id: id.rawValue, origin: 0, node: nil)
  }

  /// The id, or `nil` while dirty.
  @inlinable
  package var id: NodeID? {
    NodeID(rawValue: cell.id.load(ordering: .acquiring))
  }

  /// The stored node that edits have made this one from, or `nil`: of a node that
  /// was loaded, and of one that is made from nothing.
  @inlinable
  var origin: NodeID? { NodeID(rawValue: cell.origin) }

  /// The node, if it is in memory.
  @inlinable
  package var node: Node<Leaf>? {
    unmanagedNode?.takeUnretainedValue()
  }

  /// The node, if it is in memory; alive as long as this ref.
  @inlinable
  @inline(__always)
  var unmanagedNode: Unmanaged<Node<Leaf>>? {
    Self.node(at: cell.node.load(ordering: .acquiring))
  }

  /// Keeps a loaded node and returns it, or the one that another thread was
  /// faster to load.
  @inlinable
  func keep(_ node: Node<Leaf>) -> Node<Leaf> {
    let retained = Unmanaged.passRetained(node)
    let (_, current) = cell.node.compareExchange(
      expected: 0, desired: UInt(bitPattern: retained.toOpaque()),
      ordering: .acquiringAndReleasing)
    guard let first = Self.node(at: current) else { return node }
    retained.release()
    return first.takeUnretainedValue()
  }

  /// Turns a dirty ref into a stored one.
  ///
  /// - Precondition: The ref is dirty.
  @inlinable
  func assign(_ id: NodeID) {
    let (exchanged, _) = cell.id.compareExchange(
      expected: 0, desired: id.rawValue, ordering: .acquiringAndReleasing)
    precondition(exchanged, "A node can be stored only once.")
  }

  @inlinable
  @inline(__always)
  static func node(at address: UInt) -> Unmanaged<Node<Leaf>>? {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
    return Unmanaged.fromOpaque(pointer)
  }
}

/// The shared state of a `NodeRef`.
///
/// Not generic: the `deinit` of a generic class is never specialised and looks
/// up metadata each time. For the same reason it is no `AtomicLazyReference`,
/// whose `load` is not inlinable and does so on each visit.
@usableFromInline
final class NodeCell: Sendable {
  /// The node's id; 0 while dirty.
  @usableFromInline let id: Atomic<UInt64>

  /// The id of the stored node that edits have made this one from; 0 without one.
  @usableFromInline let origin: UInt64

  /// The address of a retained node, or 0; set once, released in `deinit`.
  @usableFromInline let node: Atomic<UInt>

  @inlinable
  init(id: UInt64, origin: UInt64, node: UnsafeMutableRawPointer?) {
    self.id = Atomic(id)
    self.origin = origin
    self.node = Atomic(UInt(bitPattern: node))
  }

  /// Loads the cells' cache lines before each is retained.
  ///
  /// To retain is an atomic operation, which waits for the cache line before the
  /// next one may start; plain loads overlap.
  @inlinable
  static func prefetch(_ cells: ContiguousArray<NodeCell>.SubSequence) {
    for cell in cells { _ = cell.id.load(ordering: .relaxed) }
  }

  deinit {
    let address = node.load(ordering: .acquiring)
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return }
    Unmanaged<AnyObject>.fromOpaque(pointer).release()
  }
}
