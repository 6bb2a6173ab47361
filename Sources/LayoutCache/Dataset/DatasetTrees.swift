import LayoutStore
import SumTree

/// A dataset at one revision: its items, their data, its sections, and the indexes of their keys.
struct DatasetTrees: Sendable {
  var items: SumTree<ItemLeaf>
  /// The data of the items that have data.
  var data: SumTree<ItemDataLeaf>
  var sections: SumTree<SectionLeaf>
  var itemKeys: KeyIndex
  var sectionKeys: KeyIndex

  /// Creates a dataset without sections.
  init(hash: KeyedHash, shapes: TreeShapes) {
    items = SumTree(shape: shapes.items)
    data = SumTree(shape: shapes.data)
    sections = SumTree(shape: shapes.sections)
    itemKeys = KeyIndex(tree: SumTree(shape: shapes.keys), hash: hash)
    sectionKeys = KeyIndex(tree: SumTree(shape: shapes.keys), hash: hash)
  }

  // The roots of items, sections, item keys and section keys, each preceded by a byte: 0 for an
  // empty tree, 1 for a stored root; then the root of data, if the tree is not empty.

  /// The encoding of the roots in a dataset's row.
  ///
  /// - Precondition: Every tree is stored.
  var encodedRoots: [UInt8] {
    var writer = ByteWriter()
    items.encodeRoot(into: &writer)
    sections.encodeRoot(into: &writer)
    itemKeys.tree.encodeRoot(into: &writer)
    sectionKeys.tree.encodeRoot(into: &writer)
    if !data.isEmpty { data.encodeRoot(into: &writer) }
    return writer.bytes
  }

  /// Opens the trees of a dataset's row without reading a node.
  ///
  /// - Throws: `ByteError` for malformed roots.
  init(encodedRoots: [UInt8], in space: NodeSpace, hash: KeyedHash, shapes: TreeShapes) throws {
    self.init(hash: hash, shapes: shapes)
    try ByteReader.read(encodedRoots, nodeIDs: space.nodeIDs) { reader in
      items = try SumTree(shape: shapes.items, encodedRoot: &reader)
      sections = try SumTree(shape: shapes.sections, encodedRoot: &reader)
      itemKeys.tree = try SumTree(shape: shapes.keys, encodedRoot: &reader)
      sectionKeys.tree = try SumTree(shape: shapes.keys, encodedRoot: &reader)
      if !reader.isAtEnd { data = try SumTree(shape: shapes.data, encodedRoot: &reader) }
      try reader.expectEnd()
    }
  }

  /// Writes the nodes created by edits.
  ///
  /// Must be called in the transaction that also stores the roots. If that is rolled back, the
  /// value must be discarded.
  func store(into sink: any NodeSink) throws {
    try itemKeys.requireOrder()
    try sectionKeys.requireOrder()
    try items.store(into: sink).publish()
    try data.store(into: sink).publish()
    try sections.store(into: sink).publish()
    try itemKeys.tree.store(into: sink).publish()
    try sectionKeys.tree.store(into: sink).publish()
  }

  /// Releases the loaded nodes.
  mutating func unload() {
    items = items.unloaded()
    data = data.unloaded()
    sections = sections.unloaded()
    itemKeys.tree = itemKeys.tree.unloaded()
    sectionKeys.tree = sectionKeys.tree.unloaded()
  }
}

extension SumTree {
  /// Writes the root, preceded by a byte that tells whether it exists.
  ///
  /// - Precondition: The tree is stored.
  func encodeRoot(into writer: inout ByteWriter) {
    guard !isEmpty else { return writer.writeUInt8(0) }
    guard let storedRoot else { preconditionFailure("a tree is stored before its root") }
    writer.writeUInt8(1)
    storedRoot.encode(into: &writer)
  }

  /// Opens a tree from the encoding of ``encodeRoot(into:)`` without reading a node.
  init(shape: TreeShape, encodedRoot reader: inout ByteReader) throws(ByteError) {
    self.init(shape: shape)
    if try reader.readUInt8() == 1 {
      self.init(shape: shape, storedRoot: try StoredRoot(from: &reader))
    }
  }
}
