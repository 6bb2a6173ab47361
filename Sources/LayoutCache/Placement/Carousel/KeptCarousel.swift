import SumTree

/// The stored items of a carousel.
struct KeptCarousel: KeptTree {
  static let tag: UInt8 = 5

  var tree: SumTree<CarouselLeaf>

  var itemCount: Int { tree.count }

  init(tree: SumTree<CarouselLeaf>) { self.tree = tree }

  // root  the stored root of the tree

  func encode(into writer: inout ByteWriter) { encodeTree(into: &writer) }

  init(from reader: inout ByteReader) throws(ByteError) {
    tree = try Self.tree(from: &reader)
  }
}
