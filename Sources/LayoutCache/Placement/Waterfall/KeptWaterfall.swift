import SumTree

/// The items of a waterfall section, each with its column.
struct KeptWaterfall: KeptTree {
  static let tag: UInt8 = 1

  var tree: SumTree<WaterfallLeaf>
  /// How far the columns differed at the section's end after its last placement from
  /// some item on, in units, if that was more than a section may differ; otherwise 0.
  /// What a placement cannot even out is not tried again and again.
  var settledSkew: Int64
  /// The rebalance that is under way.
  var rebalance: Rebalance?

  var itemCount: Int { tree.count }

  init(tree: SumTree<WaterfallLeaf>, settledSkew: Int64 = 0) {
    self.tree = tree
    self.settledSkew = settledSkew
  }

  // root       the stored root of the tree
  // skew       varint, units: the settled skew
  // rebalance  u8: 0 for none, 1 and a Rebalance where one is under way

  func encode(into writer: inout ByteWriter) {
    encodeTree(into: &writer)
    encodeHistory(into: &writer)
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    try self.init(tree: Self.tree(from: &reader), historyFrom: &reader)
  }

  /// Appends the bytes after the tree's.
  func encodeHistory(into writer: inout ByteWriter) {
    writer.writeVarint(UInt64(settledSkew))
    writer.writeUInt8(rebalance == nil ? 0 : 1)
    rebalance?.encode(into: &writer)
  }

  /// Reads what ``encodeHistory(into:)`` wrote of a section with a tree.
  init(
    tree: SumTree<WaterfallLeaf>, historyFrom reader: inout ByteReader
  ) throws(ByteError) {
    self.tree = tree
    settledSkew = Int64(try reader.readCount(limit: PlacedAdvance.max))
    switch try reader.readUInt8() {
    case 0: break
    case 1: rebalance = try Rebalance(from: &reader, itemCount: tree.count)
    default: throw reader.malformed("rebalance")
    }
  }
}
