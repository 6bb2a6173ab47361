import LayoutGeometry
import SumTree

/// The stored form of a section's placed items, for one section kind.
///
/// It handles its nodes and its encoding. Operations that need the section's plan are in
/// ``SectionPlacing``.
protocol StoredSection: Sendable {
  /// The kind's tag in the file: unique, at least 1.
  static var tag: UInt8 { get }
  /// The number of placed items.
  var itemCount: Int { get }
  /// The number of elements of the tree, items or lines; 0 without a tree.
  var elementCount: Int { get }
  /// The number of levels of the tree; 0 without a tree.
  var treeDepth: Int { get }
  /// The memory of the parts stored without a separate node, in bytes.
  var byteCount: Int { get }
  /// The distance by which the transforms of cells extend their frames at most; 0 for most kinds.
  var reach: Length { get }

  /// Returns the section with the given node sizes for later edits.
  func shaped(_ shapes: TreeShapes) -> Self
  /// Writes the nodes that are only in memory, except those inlined by ``encode(into:)``.
  func store(into sink: any NodeSink) throws
  /// Returns a copy with separate nodes, each written once, in constant memory.
  func copied(
    into sink: any NodeSink, _ shapes: TreeShapes, in session: TreeSession
  ) throws -> Self
  /// Returns the section without in-memory nodes, except unsaved ones.
  func unloaded() -> Self
  /// Records the section's removal, without reading it.
  func drop(_ edits: inout TreeEdits)
  /// Checks the nodes for consistency.
  ///
  /// - Throws: `TreeError`; errors of reading nodes.
  func checkInvariants(_ shapes: TreeShapes, in session: TreeSession) throws

  /// Appends the encoding.
  ///
  /// - Precondition: The section has items, and its nodes are stored.
  func encode(into writer: inout ByteWriter)
  /// Decodes the output of ``encode(into:)``.
  init(from reader: inout ByteReader) throws(ByteError)
}

extension StoredSection {
  var reach: Length { .zero }
}

/// A leaf of a stored section: a run of items or lines.
protocol PlacedLeaf: TreeLeaf, Equatable {
  /// Returns the node sizes of such trees.
  static func shape(_ shapes: TreeShapes) -> TreeShape

  /// Creates a leaf without elements.
  init()

  /// Whether an element equals one of another leaf.
  func isElement(_ index: Int, equalTo other: Int, of leaf: Self) -> Bool
}

protocol KeptTree: StoredSection {
  /// The tree's leaf type.
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

  /// Whether the tree is stored inline in the section's bytes, without a node.
  ///
  /// A node is found, checked and cached separately, which costs more than a few items do.
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
    // An inline leaf is not one of the file's nodes that the session counts.
    let session = tree.soleDirtyLeaf == nil ? session : nil
    try tree.shaped(Leaf.shape(shapes)).checkInvariants(in: session)
  }

  // root  as StoredRoot; for an inline leaf instead
  //   0     u8, which is no node's id
  //   leaf  the leaf's encoding

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

/// A stored section that is nothing but its tree.
protocol SoleTree: KeptTree {
  init(tree: SumTree<Leaf>)
}

extension SoleTree {
  // root  the stored root of the tree

  func encode(into writer: inout ByteWriter) { encodeTree(into: &writer) }

  init(from reader: inout ByteReader) throws(ByteError) {
    self.init(tree: try Self.tree(from: &reader))
  }
}

/// The maximum size of an inline leaf, in bytes: about three dozen items of a waterfall. A leaf
/// of 32 laid out sections then takes about a page at most.
private let shortLeafBytesMax = 128
