import SumTree

/// The stored form of one section's placed items, by one way of storing them.
///
/// It knows its nodes and its bytes. What can be asked of it takes the section's plan,
/// and is said by ``SectionPlacing``.
protocol KeptSection: Sendable {
  /// Its mark in the file: from 1, and never another's.
  static var tag: UInt8 { get }
  /// The items that are placed.
  var itemCount: Int { get }
  /// The number of elements in its tree, be it items or lines; 0 without one.
  var elementCount: Int { get }
  /// The levels of its tree; 0 without one.
  var treeDepth: Int { get }
  /// The memory of what is kept without its own node, in bytes.
  var byteCount: Int { get }

  /// The same, whose edits make nodes of the given sizes.
  func shaped(_ shapes: TreeShapes) -> Self
  /// Writes the nodes that are only in memory, but for what ``encode(into:)`` writes itself.
  func store(into sink: any NodeSink) throws
  /// The same with nodes of its own, each written once, in constant memory.
  func copied(
    into sink: any NodeSink, _ shapes: TreeShapes, in session: TreeSession
  ) throws -> Self
  /// The same with no nodes in memory but those that the file lacks.
  func unloaded() -> Self
  /// Notes that it is removed, without reading it.
  func drop(_ edits: inout TreeEdits)
  /// Checks its nodes against each other.
  ///
  /// - Throws: `TreeError`; what reading nodes throws.
  func checkInvariants(_ shapes: TreeShapes, in session: TreeSession) throws

  /// Appends its bytes.
  ///
  /// - Precondition: It holds items, and its nodes are stored.
  func encode(into writer: inout ByteWriter)
  /// Reads what ``encode(into:)`` wrote.
  init(from reader: inout ByteReader) throws(ByteError)
}

/// A leaf of what is kept of a section: a run of items, or of lines of them.
protocol PlacedLeaf: TreeLeaf, Equatable {
  /// How large the nodes of such trees are.
  static func shape(_ shapes: TreeShapes) -> TreeShape

  /// Creates a leaf without elements.
  init()

  /// Whether an element equals one of another leaf.
  func isElement(_ index: Int, equalTo other: Int, of leaf: Self) -> Bool
}

/// Results that are stored in a tree.
protocol KeptTree: KeptSection {
  /// The leaves of the tree.
  associatedtype Leaf: PlacedLeaf

  /// The placed items, in order.
  var tree: SumTree<Leaf> { get set }
}

extension KeptTree {
  var elementCount: Int { tree.count }

  var treeDepth: Int { tree.isEmpty ? 0 : tree.height + 1 }

  var byteCount: Int { tree.soleDirtyLeaf?.byteCount ?? 0 }

  func store(into sink: any NodeSink) throws {
    if tree.isDirty && !isShort { try tree.store(into: sink).publish() }
  }

  /// Whether it is kept among its section's own bytes, and has no node.
  ///
  /// A node is found, checked and kept by itself, which for a few items takes more than they
  /// do.
  private var isShort: Bool {
    guard let leaf = tree.soleDirtyLeaf else { return false }
    var writer = ByteWriter(capacity: shortLeafBytesMax)
    leaf.encode(into: &writer)
    return writer.count <= shortLeafBytesMax
  }

  func shaped(_ shapes: TreeShapes) -> Self {
    var kept = self
    kept.tree = tree.shaped(Leaf.shape(shapes))
    return kept
  }

  func copied(
    into sink: any NodeSink, _ shapes: TreeShapes, in session: TreeSession
  ) throws -> Self {
    if isShort { return self }
    var builder = TreeBuilder<Leaf>(shape: Leaf.shape(shapes), sink: sink)
    try tree.forEachLeaf(in: session) { leaf, _ in try builder.append(leaf) }
    var kept = self
    kept.tree = try builder.finish()
    return kept
  }

  func unloaded() -> Self {
    var kept = self
    kept.tree = tree.unloaded()
    return kept
  }

  func drop(_ edits: inout TreeEdits) { edits.drop(tree) }

  func checkInvariants(_ shapes: TreeShapes, in session: TreeSession) throws {
    // What is no node of the file is none of those that the session counts.
    let session = tree.soleDirtyLeaf == nil ? session : nil
    try tree.shaped(Leaf.shape(shapes)).checkInvariants(in: session)
  }

  // root  as StoredRoot; where the tree is a short leaf, in its place
  //   0     u8, which is no node's id
  //   leaf  the leaf's own bytes

  func encodeTree(into writer: inout ByteWriter) {
    if let leaf = tree.soleDirtyLeaf {
      writer.writeUInt8(0)
      return leaf.encode(into: &writer)
    }
    guard let root = tree.storedRoot else {
      preconditionFailure("a section's tree is stored before the section")
    }
    root.encode(into: &writer)
  }

  static func tree(from reader: inout ByteReader) throws(ByteError) -> SumTree<Leaf> {
    let shape = Leaf.shape(.standard)
    guard try reader.skip(0) else {
      return SumTree(shape: shape, storedRoot: try StoredRoot<Leaf.LeafSummary>(from: &reader))
    }
    let leaf = try Leaf(from: &reader)
    guard leaf.count > 0 else { throw reader.malformed("a section's leaf is never empty") }
    return SumTree(shape: shape, leaf: leaf)
  }
}

/// The bytes of a leaf that is kept among its section's own: those of some three dozen items
/// of a waterfall. A leaf of laid out sections, of which there are 32, then takes no more
/// than about a page.
private let shortLeafBytesMax = 128
