import SumTree

/// The lines of a flow or justified section.
struct KeptLines: SoleTree {
  static let tag: UInt8 = 3

  var tree: SumTree<LineLeaf>

  var itemCount: Int { tree.summary.itemCount }
}
