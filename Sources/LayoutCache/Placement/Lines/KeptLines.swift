import SumTree

/// The lines of a flow or justified section.
struct KeptLines: KeptTree {
  static let tag: UInt8 = 3

  var tree: SumTree<LineLeaf>

  var itemCount: Int { tree.summary.itemCount }

  init(tree: SumTree<LineLeaf>) { self.tree = tree }

  // root  the stored root of the tree

  func encode(into writer: inout ByteWriter) { encodeTree(into: &writer) }

  init(from reader: inout ByteReader) throws(ByteError) {
    tree = try Self.tree(from: &reader)
  }
}
