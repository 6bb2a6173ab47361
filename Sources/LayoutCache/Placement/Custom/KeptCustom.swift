import SumTree

/// The stored items of a section of a custom kind.
struct KeptCustom: SoleTree {
  static let tag: UInt8 = 4

  var tree: SumTree<CustomLeaf>

  var itemCount: Int { tree.count }
}
