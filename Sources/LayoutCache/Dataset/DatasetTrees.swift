import LayoutStore
import SumTree

/// A dataset at one revision: its items, what those carry, and its sections in order, and
/// the indexes that find their keys.
struct DatasetTrees: Sendable {
  var items: SumTree<ItemLeaf>
  /// The data of those items that have any.
  var data: SumTree<ItemDataLeaf>
  var sections: SumTree<SectionLeaf>
  var itemKeys: KeyIndex
  var sectionKeys: KeyIndex

  /// A dataset without sections.
  init(hash: KeyedHash, shapes: TreeShapes) {
    items = SumTree(shape: shapes.items)
    data = SumTree(shape: shapes.data)
    sections = SumTree(shape: shapes.sections)
    itemKeys = KeyIndex(tree: SumTree(shape: shapes.keys), hash: hash)
    sectionKeys = KeyIndex(tree: SumTree(shape: shapes.keys), hash: hash)
  }

  // The roots of items, sections, item keys and section keys, each after a
  // byte: 0 for an empty tree, 1 for a stored root; then that of data, where there are any.

  /// The roots as a dataset's row keeps them.
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

  /// Opens the trees of a dataset's row; no node is read.
  ///
  /// - Throws: `ByteError` for roots that are none.
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

  /// Writes the nodes that edits have made.
  ///
  /// Called in the transaction that stores the roots too; the value is of no use
  /// where that is rolled back.
  func store(into sink: any NodeSink) throws {
    try itemKeys.requireOrder()
    try sectionKeys.requireOrder()
    try items.store(into: sink).publish()
    try data.store(into: sink).publish()
    try sections.store(into: sink).publish()
    try itemKeys.tree.store(into: sink).publish()
    try sectionKeys.tree.store(into: sink).publish()
  }

  /// Gives back the nodes that were loaded.
  mutating func unload() {
    items = items.unloaded()
    data = data.unloaded()
    sections = sections.unloaded()
    itemKeys.tree = itemKeys.tree.unloaded()
    sectionKeys.tree = sectionKeys.tree.unloaded()
  }
}

extension SumTree {
  /// Writes the root after a byte that says whether there is one.
  ///
  /// - Precondition: The tree is stored.
  func encodeRoot(into writer: inout ByteWriter) {
    guard !isEmpty else { return writer.writeUInt8(0) }
    guard let storedRoot else { preconditionFailure("a tree is stored before its root") }
    writer.writeUInt8(1)
    storedRoot.encode(into: &writer)
  }

  /// Reads what ``encodeRoot(into:)`` wrote; no node is read.
  init(shape: TreeShape, encodedRoot reader: inout ByteReader) throws(ByteError) {
    self.init(shape: shape)
    if try reader.readUInt8() == 1 {
      self.init(shape: shape, storedRoot: try StoredRoot(from: &reader))
    }
  }
}
