import SumTree

/// The stored items of a section of a custom kind.
struct KeptCustom: KeptTree {
  static let tag: UInt8 = 4

  var tree: SumTree<CustomLeaf>

  var itemCount: Int { tree.count }

  init(tree: SumTree<CustomLeaf>) { self.tree = tree }

  // root  the stored root of the tree

  func encode(into writer: inout ByteWriter) { encodeTree(into: &writer) }

  init(from reader: inout ByteReader) throws(ByteError) {
    tree = try Self.tree(from: &reader)
  }
}
