import LayoutGeometry
import SumTree

/// A run of items in the dataset's order: a leaf of the item tree.
///
/// One array for each member, so that a query that needs a key touches keys only.
struct ItemLeaf: Sendable, Equatable {
  /// The leaf's place in the order of leaves: rises from leaf to leaf. The key
  /// index names a leaf by it, because it stays when leaves before it come and
  /// go. 0 until the leaf has its place.
  var label: UInt64 = 0
  /// The keys' bytes, one after the other.
  private(set) var keyBytes: [UInt8] = []
  /// Where each key ends in ``keyBytes``.
  private(set) var keyEnds: [UInt32] = []
  /// The natural widths in units.
  private(set) var widths: [UInt32] = []
  /// The natural heights in units.
  private(set) var heights: [UInt32] = []
  /// The column spans; empty where all are 1.
  private(set) var columnSpans: [UInt16] = []

  /// Appends an item.
  mutating func append(_ item: Item) {
    if item.columnSpan != 1 && columnSpans.isEmpty {
      columnSpans = Array(repeating: 1, count: count)
    }
    if item.columnSpan != 1 || !columnSpans.isEmpty {
      columnSpans.append(UInt16(item.columnSpan))
    }
    keyBytes.append(contentsOf: item.key.utf8)
    keyEnds.append(UInt32(keyBytes.count))
    widths.append(UInt32(item.size.width.units))
    heights.append(UInt32(item.size.height.units))
  }

  func keyRange(at index: Int) -> Range<Int> {
    Int(index == 0 ? 0 : keyEnds[index - 1])..<Int(keyEnds[index])
  }

  func key(at index: Int) -> String {
    String(decoding: keyBytes[keyRange(at: index)], as: UTF8.self)
  }

  func size(at index: Int) -> Size {
    Size(
      width: Length(units: Int64(widths[index])), height: Length(units: Int64(heights[index])))
  }

  func columnSpan(at index: Int) -> Int {
    columnSpans.isEmpty ? 1 : Int(columnSpans[index])
  }

  func item(at index: Int) -> Item {
    Item(key: key(at: index), size: size(at: index), columnSpan: columnSpan(at: index))
  }

  /// The index of the item with a key.
  func firstIndex(ofKey key: String) -> Int? {
    let key = Array(key.utf8)
    return keyBytes.withUnsafeBufferPointer { bytes in
      (0..<count).first { index in
        let range = keyRange(at: index)
        return range.count == key.count && bytes[range].elementsEqual(key)
      }
    }
  }
}

extension ItemLeaf: TreeLeaf {
  var count: Int { keyEnds.count }

  var summary: LabelSummary { LabelSummary(last: label) }

  var byteCount: Int {
    keyBytes.count + 12 * count + 2 * columnSpans.count + 160
  }

  func slice(_ range: Range<Int>) -> ItemLeaf {
    if range.count == count { return self }
    var slice = ItemLeaf(label: label)
    if range.isEmpty { return slice }
    let first = keyRange(at: range.lowerBound).lowerBound
    slice.keyBytes = Array(keyBytes[first..<keyRange(at: range.upperBound - 1).upperBound])
    slice.keyEnds = keyEnds[range].map { $0 - UInt32(first) }
    slice.widths = Array(widths[range])
    slice.heights = Array(heights[range])
    if !columnSpans.isEmpty {
      let spans = columnSpans[range]
      slice.columnSpans = spans.allSatisfy { $0 == 1 } ? [] : Array(spans)
    }
    return slice
  }

  /// The joined leaf keeps the later label, which is the summary of both.
  func joined(with next: ItemLeaf) -> ItemLeaf {
    if count == 0 { return next }
    var joined = self
    joined.label = next.count == 0 ? label : next.label
    let first = UInt32(keyBytes.count)
    joined.keyBytes += next.keyBytes
    joined.keyEnds += next.keyEnds.map { $0 + first }
    joined.widths += next.widths
    joined.heights += next.heights
    if !columnSpans.isEmpty || !next.columnSpans.isEmpty {
      joined.columnSpans = spansInFull + next.spansInFull
    }
    return joined
  }

  private var spansInFull: [UInt16] {
    columnSpans.isEmpty ? Array(repeating: 1, count: count) : columnSpans
  }
}

extension ItemLeaf {
  // label      varint
  // count      varint, at least 1
  // flags      u8: bit 0 set where there are column spans; bits 4 to 7 the shift
  // keyLength  varint × count, 1 to 255
  // keys       the keys' bytes, UTF-8
  // width      varint × count, units >> shift
  // height     varint × count, units >> shift
  // columnSpan varint × count, where bit 0 of flags is set

  func encode(into writer: inout ByteWriter) {
    var bits: UInt32 = 64
    for index in 0..<count { bits |= widths[index] | heights[index] }
    // Most feeds have sizes in whole points: six bits that need not be stored.
    let shift = min(UInt8(bits.trailingZeroBitCount), 6)
    writer.writeVarint(label)
    writer.writeCount(count)
    writer.writeUInt8((columnSpans.isEmpty ? 0 : 1) | shift << 4)
    for index in 0..<count { writer.writeCount(keyRange(at: index).count) }
    writer.writeBytes(keyBytes)
    for width in widths { writer.writeVarint(UInt64(width >> shift)) }
    for height in heights { writer.writeVarint(UInt64(height >> shift)) }
    for span in columnSpans { writer.writeVarint(UInt64(span)) }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    label = try reader.readVarint()
    let count = try reader.readCount(limit: Int(Int32.max), sizeMin: 4)
    let flags = try reader.readUInt8()
    let shift = flags >> 4
    guard flags & 0x0E == 0, shift <= 6 else { throw reader.malformed("item flags") }
    var end: UInt32 = 0
    keyEnds.reserveCapacity(count)
    for _ in 0..<count {
      let length = try reader.readVarint()
      guard (1...UInt64(Limits.nameBytesMax)).contains(length) else {
        throw reader.malformed("key length")
      }
      let (sum, overflow) = end.addingReportingOverflow(UInt32(length))
      if overflow { throw reader.malformed("key lengths") }
      end = sum
      keyEnds.append(end)
    }
    keyBytes = try reader.readBytes(count: Int(end))
    widths = try Self.sides(count, shift: shift, from: &reader)
    heights = try Self.sides(count, shift: shift, from: &reader)
    if flags & 1 != 0 {
      columnSpans.reserveCapacity(count)
      for _ in 0..<count {
        columnSpans.append(UInt16(try reader.readCount(limit: Limits.columnSpanMax)))
      }
    }
  }

  private static func sides(
    _ count: Int, shift: UInt8, from reader: inout ByteReader
  ) throws(ByteError) -> [UInt32] {
    let limit = UInt64(Limits.sideMax.units) >> UInt64(shift)
    var sides: [UInt32] = []
    sides.reserveCapacity(count)
    for _ in 0..<count {
      let side = try reader.readVarint()
      guard (1...limit).contains(side) else { throw reader.malformed("natural size") }
      sides.append(UInt32(side) << shift)
    }
    return sides
  }
}
