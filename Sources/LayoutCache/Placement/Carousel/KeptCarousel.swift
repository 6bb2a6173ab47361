import SumTree

/// The stored items of a carousel.
struct KeptCarousel: SoleTree {
  static let tag: UInt8 = 5

  var tree: SumTree<CarouselLeaf>

  var itemCount: Int { tree.count }
}
