public import Synchronization

/// A reference to one node: its ID once it is stored, and the node itself once it is in memory.
/// Shared by all versions of the tree that contain the node.
///
/// A ref is in one of three states and moves only forward:
///
/// - *dirty*: no ID; the node exists only in memory
/// - *stored, not loaded*: an ID and no node
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
  /// - Parameter old: The origin: the node from which an edit created this one, if any.
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

  /// The ID, or `nil` while dirty.
  @inlinable
  package var id: NodeID? { NodeID(rawValue: cell.id.load(ordering: .acquiring)) }

  /// The stored node from which edits created this one; `nil` for a node that was loaded or has
  /// no origin.
  @inlinable
  var origin: NodeID? { NodeID(rawValue: cell.origin) }

  /// The node, if it is in memory.
  @inlinable
  package var node: Node<Leaf>? { unmanagedNode?.takeUnretainedValue() }

  /// The node, if it is in memory; alive as long as this ref.
  @inlinable
  @inline(__always)
  var unmanagedNode: Unmanaged<Node<Leaf>>? { Self.node(at: cell.node.load(ordering: .acquiring)) }

  /// Stores a loaded node in the ref and returns it, or the node that another thread loaded first.
  @inlinable
  func keep(_ node: Node<Leaf>) -> Node<Leaf> {
    let retained = Unmanaged.passRetained(node)
    let (_, current) = cell.node.compareExchange(
      expected: 0, desired: UInt(bitPattern: retained.toOpaque()), ordering: .acquiringAndReleasing)
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
/// Not generic: the `deinit` of a generic class is never specialised and looks up metadata each
/// time. For the same reason it does not use `AtomicLazyReference`, whose `load` is not
/// inlinable and looks up metadata on each visit.
@usableFromInline
final class NodeCell: Sendable {
  /// The node's id; 0 while dirty.
  @usableFromInline let id: Atomic<UInt64>

  /// The ID of the stored node from which edits created this one; 0 without one.
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
  /// A retain is an atomic operation, which waits for its cache line before the next one can
  /// start; plain loads overlap.
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
