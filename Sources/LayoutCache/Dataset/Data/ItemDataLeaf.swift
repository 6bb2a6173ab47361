import LayoutGeometry
import SumTree

/// The data of some items in the dataset's order: a leaf of the data tree.
///
/// Its elements are the items that have data. Each element stores the number of items without
/// data right before it. So the tree's size depends only on the items with data, and the data of
/// items shown together are adjacent.
struct ItemDataLeaf: Sendable, Equatable {
  /// For each item with data, the number of items without data right before it.
  private(set) var gaps: [Int] = []
  /// The concatenated bytes of the data.
  private(set) var bytes: [UInt8] = []
  /// The end of each item's data in ``bytes``.
  private(set) var ends: [UInt32] = []
  /// In a sorted dataset, the first bytes of each item's rank; otherwise empty.
  private(set) var ranks: [UInt64] = []

  /// Appends an item after `gap` items without data.
  mutating func append(_ data: ItemData, after gap: Int) {
    gaps.append(gap)
    bytes.append(contentsOf: data.json.utf8)
    ends.append(UInt32(bytes.count))
  }

  /// Appends an item of another leaf, without its rank, after `gap` items without data.
  mutating func append(_ other: ItemDataLeaf, at index: Int, after gap: Int) {
    gaps.append(gap)
    bytes += other.bytes[other.byteRange(at: index)]
    ends.append(UInt32(bytes.count))
  }

  /// Appends the items of another leaf.
  mutating func append(_ next: ItemDataLeaf) {
    let first = UInt32(bytes.count)
    ranks += next.ranks
    gaps += next.gaps
    bytes += next.bytes
    ends += next.ends.lazy.map { $0 + first }
  }

  /// Returns the leaf with `more` additional items without data before the first item with data;
  /// fewer if `more` is negative.
  ///
  /// - Precondition: The leaf is not empty, and its first gap does not become negative.
  func after(_ more: Int) -> ItemDataLeaf {
    var leaf = self
    leaf.gaps[0] += more
    precondition(leaf.gaps[0] >= 0, "the first gap is not negative")
    return leaf
  }

  func ranked(by order: DatasetOrder) -> ItemDataLeaf {
    var leaf = self
    let first = DatasetOrder(Array(order.members.prefix(1)))
    leaf.ranks = gaps.indices.map { index in
      withData(at: index) { first.rank(ofKey: "", in: $0).prefix }
    }
    return leaf
  }

  func data(at index: Int) -> ItemData { ItemData(checked: bytes[byteRange(at: index)]) }

  /// Runs `body` on the bytes of the data at an index.
  func withData<R>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try bytes.withUnsafeBytes {
      try body(UnsafeRawBufferPointer(rebasing: $0[byteRange(at: index)]))
    }
  }

  /// Returns a part of the leaf as it is in a dataset without an order.
  func unrankedSlice(_ range: Range<Int>) -> ItemDataLeaf {
    var leaf = slice(range)
    leaf.ranks = []
    return leaf
  }

  private func byteRange(at index: Int) -> Range<Int> {
    Int(index == 0 ? 0 : ends[index - 1])..<Int(ends[index])
  }
}

/// The number of items that a run of data covers: those with data, and those without data before
/// each; and in a sorted dataset the first bytes of the last one's rank, otherwise 0.
struct ItemDataSummary: Summary {
  var itemCount: Int
  var lastRank: UInt64 = 0

  static let identity = ItemDataSummary(itemCount: 0)

  mutating func append(_ next: ItemDataSummary) {
    itemCount += next.itemCount
    if next.itemCount > 0 { lastRank = next.lastRank }
  }

  // itemCount  varint: twice the number of items, and 1 more if a rank other than 0 follows
  // lastRank   varint

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(itemCount << 1 | (lastRank == 0 ? 0 : 1))
    if lastRank != 0 { writer.writeVarint(lastRank) }
  }

  init(itemCount: Int, lastRank: UInt64 = 0) {
    (self.itemCount, self.lastRank) = (itemCount, lastRank)
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    let count = try reader.readCount(limit: Limits.itemsMax << 1 | 1)
    itemCount = count >> 1
    if count & 1 == 1 { lastRank = try reader.readVarint() }
  }
}

/// A position among the items: the number of items before it, and the rank of the last of them
/// that has data.
struct ItemDataPosition: ElementDimension {
  var item = 0
  var rank: UInt64 = 0

  mutating func advance(over summary: ItemDataSummary, count: Int) {
    item += summary.itemCount
    rank = summary.lastRank
  }

  mutating func pass(_ index: Int, of leaf: ItemDataLeaf) {
    item += leaf.gaps[index] + 1
    if !leaf.ranks.isEmpty { rank = leaf.ranks[index] }
  }
}

extension ItemDataLeaf: TreeLeaf {
  var count: Int { gaps.count }

  var summary: ItemDataSummary {
    ItemDataSummary(itemCount: gaps.reduce(gaps.count) { $0 + $1 }, lastRank: ranks.last ?? 0)
  }

  var byteCount: Int { bytes.count + 12 * count + 8 * ranks.count + 152 }

  func slice(_ range: Range<Int>) -> ItemDataLeaf {
    if range.count == count { return self }
    var slice = ItemDataLeaf()
    if range.isEmpty { return slice }
    let first = byteRange(at: range.lowerBound).lowerBound
    slice.gaps = Array(gaps[range])
    if !ranks.isEmpty { slice.ranks = Array(ranks[range]) }
    slice.bytes = Array(bytes[first..<byteRange(at: range.upperBound - 1).upperBound])
    slice.ends = ends[range].map { $0 - UInt32(first) }
    return slice
  }

  func joined(with next: ItemDataLeaf) -> ItemDataLeaf {
    var joined = self
    joined.append(next)
    return joined
  }

  // count       varint: twice the number of items, and 1 more with ranks
  // for each item with data:
  //   gap         varint, the items without data before it
  //   dataLength  varint, 2 to 4,096
  //   rank        varint, with ranks: its difference from the one before, modulo 2^64
  // data        the data's bytes, UTF-8

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(count << 1 | (ranks.isEmpty ? 0 : 1))
    var previous: UInt64 = 0
    for index in 0..<count {
      writer.writeCount(gaps[index])
      writer.writeCount(byteRange(at: index).count)
      if ranks.isEmpty { continue }
      writer.writeVarint(ranks[index] &- previous)
      previous = ranks[index]
    }
    writer.writeBytes(bytes)
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    let form = try reader.readCount(limit: Int(Int32.max))
    let count = form >> 1
    guard count <= reader.remaining / 4 else { throw reader.malformed("count of items with data") }
    var itemCount = 0
    var end = 0
    for _ in 0..<count {
      let gap = try reader.readCount(limit: Limits.itemsMax - itemCount)
      itemCount += gap + 1
      end += try reader.readCount(limit: Limits.dataBytesMax, sizeMin: 1)
      guard itemCount <= Limits.itemsMax, let end = UInt32(exactly: end) else {
        throw reader.malformed("items with data")
      }
      gaps.append(gap)
      ends.append(end)
      if form & 1 == 1 { ranks.append((ranks.last ?? 0) &+ (try reader.readVarint())) }
    }
    bytes = try reader.readBytes(count: end)
    let areStored = bytes.withUnsafeBytes { bytes in
      (0..<count).allSatisfy { index in
        ItemData.isStored(UnsafeRawBufferPointer(rebasing: bytes[byteRange(at: index)]))
      }
    }
    if !areStored { throw reader.malformed("item data") }
  }
}
