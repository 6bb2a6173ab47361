import SumTree

/// The items of a waterfall section, each with its column.
struct StoredWaterfall: KeptTree {
  static let tag: UInt8 = 1

  var tree: SumTree<WaterfallLeaf>
  /// The skew at the section's end after its last placement from some item on, in units, if it
  /// exceeded the allowed skew; otherwise 0. Prevents repeated attempts to even out a skew that
  /// placement cannot remove.
  var settledSkew: Int64
  /// The unfinished rebalance, if any.
  var rebalance: Rebalance?

  var itemCount: Int { tree.count }

  init(tree: SumTree<WaterfallLeaf>, settledSkew: Int64 = 0) {
    self.tree = tree
    self.settledSkew = settledSkew
  }

  // root       the stored root of the tree
  // skew       varint, units: the settled skew
  // rebalance  u8: 0 for none, 1 and a Rebalance for an unfinished one

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

  /// Decodes the output of ``encodeHistory(into:)`` for a section with a tree.
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
