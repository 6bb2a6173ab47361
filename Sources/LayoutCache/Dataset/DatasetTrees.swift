import LayoutStore
import SumTree

/// A dataset at one revision: its items and sections in order, and the indexes
/// that find their keys.
struct DatasetTrees: Sendable {
  var items: SumTree<ItemLeaf>
  var sections: SumTree<SectionLeaf>
  var itemKeys: KeyIndex
  var sectionKeys: KeyIndex

  /// A dataset without sections.
  init(hash: KeyedHash) {
    items = SumTree(shape: TreeShapes.items)
    sections = SumTree(shape: TreeShapes.sections)
    itemKeys = KeyIndex(tree: SumTree(shape: TreeShapes.keys), hash: hash)
    sectionKeys = KeyIndex(tree: SumTree(shape: TreeShapes.keys), hash: hash)
  }

  // The roots of items, sections, item keys and section keys, each behind a
  // byte: 0 for an empty tree, 1 for a stored root.

  /// The roots as a dataset's row keeps them.
  ///
  /// - Precondition: Every tree is stored.
  var encodedRoots: [UInt8] {
    var writer = ByteWriter()
    Self.encode(items, into: &writer)
    Self.encode(sections, into: &writer)
    Self.encode(itemKeys.tree, into: &writer)
    Self.encode(sectionKeys.tree, into: &writer)
    return writer.bytes
  }

  /// Opens the trees of a dataset's row; no node is read.
  ///
  /// - Throws: `ByteError` for roots that are none.
  init(encodedRoots: [UInt8], hash: KeyedHash) throws {
    self.init(hash: hash)
    try ByteReader.read(encodedRoots) { reader in
      items = try Self.tree(TreeShapes.items, from: &reader)
      sections = try Self.tree(TreeShapes.sections, from: &reader)
      itemKeys.tree = try Self.tree(TreeShapes.keys, from: &reader)
      sectionKeys.tree = try Self.tree(TreeShapes.keys, from: &reader)
      try reader.expectEnd()
    }
  }

  /// Writes a tree's root behind a byte that says whether there is one.
  static func encode<Leaf>(_ tree: SumTree<Leaf>, into writer: inout ByteWriter) {
    guard !tree.isEmpty else { return writer.writeUInt8(0) }
    guard let root = tree.storedRoot else {
      preconditionFailure("a tree is stored before its root")
    }
    writer.writeUInt8(1)
    root.encode(into: &writer)
  }

  /// Reads what ``encode(_:into:)`` wrote.
  static func tree<Leaf>(
    _ shape: TreeShape, from reader: inout ByteReader
  ) throws(ByteError) -> SumTree<Leaf> {
    guard try reader.readUInt8() == 1 else { return SumTree(shape: shape) }
    return SumTree(shape: shape, storedRoot: try StoredRoot(from: &reader))
  }
}
