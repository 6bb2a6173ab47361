import SumTree

/// The items of a waterfall section, each with its column.
struct StoredWaterfall: KeptTree {
  static let tag: UInt8 = 1

  var tree: SumTree<WaterfallLeaf>
  var state: RebalanceState

  var itemCount: Int { tree.count }

  init(tree: SumTree<WaterfallLeaf>, settledSkew: Int64 = 0) {
    self.tree = tree
    state = RebalanceState(settledSkew: settledSkew)
  }

  // root   the stored root of the tree
  // state  RebalanceState

  func encode(into writer: inout ByteWriter) {
    encodeTree(into: &writer)
    state.encode(into: &writer)
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    try self.init(tree: Self.tree(from: &reader), stateFrom: &reader)
  }

  init(
    tree: SumTree<WaterfallLeaf>, stateFrom reader: inout ByteReader
  ) throws(ByteError) {
    self.tree = tree
    state = try RebalanceState(from: &reader, itemCount: tree.count)
  }
}
