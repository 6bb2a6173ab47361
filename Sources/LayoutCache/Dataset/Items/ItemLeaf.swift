import LayoutGeometry
import LayoutStore
import SumTree

/// A run of items in the dataset's order: a leaf of the item tree.
///
/// Each member has a separate array, so that a query for keys reads only keys.
struct ItemLeaf: Sendable, Equatable {
  /// The leaf's position in the order of leaves; increases from leaf to leaf. The key index
  /// refers to a leaf by its label, because the label does not change when earlier leaves are
  /// inserted or removed. 0 until the leaf is inserted.
  var label: UInt64 = 0
  /// The concatenated bytes of the keys.
  private(set) var keyBytes: [UInt8] = []
  /// The end of each key in ``keyBytes``.
  private(set) var keyEnds: [UInt32] = []
  /// The natural widths in units.
  private(set) var widths: [UInt32] = []
  /// The natural heights in units.
  private(set) var heights: [UInt32] = []
  /// The column spans; empty if all are 1.
  private(set) var columnSpans: [UInt16] = []
  /// Each item's flags, whose two low bits are its visibility; empty if all are 0.
  private var flags: [UInt8] = []
  /// The measured lengths, by item, then by layout; few items have one.
  private(set) var preferredLengths: [PreferredLength] = []

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
    if !flags.isEmpty { flags.append(0) }
    setVisibility(item.visibility, at: count - 1)
  }

  func keyRange(at index: Int) -> Range<Int> {
    Int(index == 0 ? 0 : keyEnds[index - 1])..<Int(keyEnds[index])
  }

  func key(at index: Int) -> String {
    let range = keyRange(at: index)
    return keyBytes.withUnsafeBufferPointer { bytes in
      let key = UnsafeBufferPointer(rebasing: bytes[range])
      // The fastest way to a string of at most 15 bytes, which needs no allocation.
      return String(unsafeUninitializedCapacity: key.count) { buffer in
        _ = buffer.initialize(fromContentsOf: key)
        return key.count
      }
    }
  }

  func size(at index: Int) -> Size {
    Size(width: Length(units: Int64(widths[index])), height: Length(units: Int64(heights[index])))
  }

  func columnSpan(at index: Int) -> Int {
    columnSpans.isEmpty ? 1 : Int(columnSpans[index])
  }

  func visibility(at index: Int) -> ItemVisibility {
    flags.isEmpty ? .shown : ItemVisibility(rawValue: flags[index]) ?? .shown
  }

  func isCollapsed(at index: Int) -> Bool { visibility(at: index) == .collapsed }

  mutating func setVisibility(_ visibility: ItemVisibility, at index: Int) {
    if flags.isEmpty && visibility == .shown { return }
    flags = flagsInFull
    flags[index] = visibility.rawValue
  }

  var collapsedCount: Int { flags.count { $0 == ItemVisibility.collapsed.rawValue } }

  /// The items that are not collapsed.
  var placed: ItemLeaf {
    if collapsedCount == 0 { return self }
    var placed = ItemLeaf(label: label)
    for index in 0..<count where !isCollapsed(at: index) {
      placed.append(slice(index..<(index + 1)))
    }
    return placed
  }

  /// - Parameter data: The item's data, which the leaf does not contain.
  func item(at index: Int, data: ItemData? = nil) -> Item {
    Item(
      key: key(at: index), size: size(at: index), columnSpan: columnSpan(at: index), data: data,
      visibility: visibility(at: index))
  }

  /// Returns the measured lengths of an item in a layout; `nil` if there are none.
  func preferredLength(at index: Int, layout: Int64) -> PreferredLength? {
    preferredLengths.first { $0.item == index && $0.layout == layout }
  }

  /// Sets the measured lengths of an item in a layout, or removes them if `length` is `nil`.
  mutating func prefer(
    _ length: Length?, crossLength: Length? = nil, at index: Int, layout: Int64
  ) {
    preferredLengths.removeAll { $0.item == index && $0.layout == layout }
    guard let length else { return }
    let preferred = PreferredLength(
      item: index, layout: layout, length: length, crossLength: crossLength)
    let place = preferredLengths.firstIndex { preferred.isOrdered(before: $0) }
    preferredLengths.insert(preferred, at: place ?? preferredLengths.count)
  }

  /// Removes the measured lengths of all items in some layouts.
  mutating func removeLengths(where isRemoved: (_ layout: Int64) throws -> Bool) rethrows {
    if preferredLengths.isEmpty { return }
    try preferredLengths.removeAll { try isRemoved($0.layout) }
  }

  /// Changes the natural size and span of an item. Lengths measured for another size are removed.
  mutating func resize(at index: Int, to size: Size, columnSpan: Int) {
    if self.size(at: index) != size { preferredLengths.removeAll { $0.item == index } }
    widths[index] = UInt32(size.width.units)
    heights[index] = UInt32(size.height.units)
    if columnSpan != 1 && columnSpans.isEmpty {
      columnSpans = Array(repeating: 1, count: count)
    }
    if !columnSpans.isEmpty { columnSpans[index] = UInt16(columnSpan) }
  }

  /// Sets all but the key of an item to those of a one-item leaf.
  mutating func change(at index: Int, to item: ItemLeaf) {
    resize(at: index, to: item.size(at: 0), columnSpan: item.columnSpan(at: 0))
    setVisibility(item.visibility(at: 0), at: index)
    guard !preferredLengths.isEmpty || !item.preferredLengths.isEmpty else { return }
    preferredLengths.removeAll { $0.item == index }
    for preferred in item.preferredLengths {
      prefer(
        preferred.length, crossLength: preferred.crossLength, at: index, layout: preferred.layout)
    }
  }
}

extension ItemLeaf: TreeLeaf {
  var count: Int { keyEnds.count }

  var summary: ItemSummary {
    ItemSummary(
      labels: LabelSummary(last: label), collapsedCount: collapsedCount,
      hasHidden: flags.contains(ItemVisibility.hidden.rawValue))
  }

  var byteCount: Int {
    keyBytes.count + 12 * count + 2 * columnSpans.count + flags.count + 48 * preferredLengths.count
      + 168
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
    if !flags.isEmpty {
      let flags = flags[range]
      slice.flags = flags.allSatisfy { $0 == 0 } ? [] : Array(flags)
    }
    for var preferred in preferredLengths where range.contains(preferred.item) {
      preferred.item -= range.lowerBound
      slice.preferredLengths.append(preferred)
    }
    return slice
  }

  func joined(with next: ItemLeaf) -> ItemLeaf {
    var joined = self
    joined.append(next)
    return joined
  }

  /// Appends the items of another leaf, and adopts its label if it has one: the summary of both.
  ///
  /// - Complexity: O(items appended), amortised.
  mutating func append(_ next: ItemLeaf) {
    if next.count == 0 { return }
    if next.label != 0 { label = next.label }
    let (count, first) = (count, UInt32(keyBytes.count))
    if !columnSpans.isEmpty || !next.columnSpans.isEmpty {
      if columnSpans.isEmpty { columnSpans = spansInFull }
      columnSpans += next.spansInFull
    }
    if !flags.isEmpty || !next.flags.isEmpty { flags = flagsInFull + next.flagsInFull }
    keyBytes += next.keyBytes
    keyEnds += next.keyEnds.lazy.map { $0 + first }
    widths += next.widths
    heights += next.heights
    for var preferred in next.preferredLengths {
      preferred.item += count
      preferredLengths.append(preferred)
    }
  }

  /// Appends an item of another leaf.
  ///
  /// - Complexity: O(measured lengths of the other leaf).
  mutating func append(_ other: ItemLeaf, at index: Int) {
    if !columnSpans.isEmpty || other.columnSpan(at: index) != 1 {
      if columnSpans.isEmpty { columnSpans = spansInFull }
      columnSpans.append(UInt16(other.columnSpan(at: index)))
    }
    let flag = other.flags.isEmpty ? 0 : other.flags[index]
    if !flags.isEmpty || flag != 0 {
      if flags.isEmpty { flags = flagsInFull }
      flags.append(flag)
    }
    for var preferred in other.preferredLengths where preferred.item == index {
      preferred.item = count
      preferredLengths.append(preferred)
    }
    keyBytes += other.keyBytes[other.keyRange(at: index)]
    keyEnds.append(UInt32(keyBytes.count))
    widths.append(other.widths[index])
    heights.append(other.heights[index])
  }

  private var flagsInFull: [UInt8] { flags.isEmpty ? Array(repeating: 0, count: count) : flags }

  private var spansInFull: [UInt16] {
    columnSpans.isEmpty ? Array(repeating: 1, count: count) : columnSpans
  }
}

extension ItemLeaf {
  // label      varint
  // count      varint, at least 1
  // flags      u8: bit 0 set if there are column spans, bit 1 if there are
  //            preferred lengths, bit 2 if some of those have a cross length, bit 3
  //            if there are flags of items; bits 4 to 7 the shift
  // keyLength  varint × count, 1 to 255
  // keys       the keys' bytes, UTF-8
  // width      varint × count, units >> shift
  // height     varint × count, units >> shift
  // columnSpan varint × count, if bit 0 of flags is set
  // itemFlags  u8 × count, if bit 3 of flags is set: 0 shown, 1 hidden, 2 collapsed
  // preferred  if bit 1 of flags is set: their number (varint, at least 1), and
  //            for each: item varint, layout varint, length varint, units; if bit 2
  //            is set, the cross length varint, units, 0 for none

  func encode(into writer: inout ByteWriter) {
    var bits: UInt32 = 64
    for index in 0..<count { bits |= widths[index] | heights[index] }
    // Most feeds have sizes in whole points, whose six low bits need not be stored.
    let shift = min(UInt8(bits.trailingZeroBitCount), 6)
    writer.writeVarint(label)
    writer.writeCount(count)
    let hasCrossLengths = preferredLengths.contains { $0.crossLength != nil }
    // Equal items have equal encodings, whatever their edit history.
    let columnSpans = columnSpans.contains { $0 != 1 } ? columnSpans : []
    let itemFlags = flags.contains { $0 != 0 } ? flags : []
    writer.writeUInt8(
      (columnSpans.isEmpty ? 0 : 1) | (preferredLengths.isEmpty ? 0 : 2)
        | (hasCrossLengths ? 4 : 0) | (itemFlags.isEmpty ? 0 : 8) | shift << 4)
    for index in 0..<count { writer.writeCount(keyRange(at: index).count) }
    writer.writeBytes(keyBytes)
    for width in widths { writer.writeVarint(UInt64(width >> shift)) }
    for height in heights { writer.writeVarint(UInt64(height >> shift)) }
    for span in columnSpans { writer.writeVarint(UInt64(span)) }
    writer.writeBytes(itemFlags)
    if preferredLengths.isEmpty { return }
    writer.writeCount(preferredLengths.count)
    for preferred in preferredLengths {
      writer.writeCount(preferred.item)
      writer.writeVarint(UInt64(preferred.layout))
      writer.writeVarint(UInt64(preferred.length.units))
      guard hasCrossLengths else { continue }
      writer.writeVarint(UInt64((preferred.crossLength ?? .zero).units))
    }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    label = try reader.readVarint()
    let count = try reader.readCount(limit: Int(Int32.max), sizeMin: 4)
    let flags = try reader.readUInt8()
    let shift = flags >> 4
    guard flags & 6 != 4, shift <= 6 else { throw reader.malformed("item flags") }
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
    if flags & 8 != 0 {
      self.flags = try reader.readBytes(count: count)
      guard self.flags.allSatisfy({ ItemVisibility(rawValue: $0) != nil }) else {
        throw reader.malformed("flags of an item")
      }
    }
    guard flags & 2 != 0 else { return }
    for _ in 0..<(try reader.readCount(limit: .max, sizeMin: 3)) {
      let preferred = PreferredLength(
        item: try reader.readCount(limit: count),
        layout: Int64(try reader.readCount(limit: .max)), length: try reader.readSide(),
        crossLength: flags & 4 == 0 ? nil : try reader.readSide().ifPositive)
      guard (0..<count).contains(preferred.item), preferred.length > .zero,
        preferredLengths.last.map({ $0.isOrdered(before: preferred) }) ?? true
      else { throw reader.malformed("preferred length") }
      preferredLengths.append(preferred)
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

  func firstIndex(ofKey key: String) -> Int? {
    var key = key
    return key.withUTF8 { key in
      keyBytes.withUnsafeBytes { bytes in
        var start = 0
        for (index, end) in keyEnds.enumerated() {
          let candidate = UnsafeRawBufferPointer(rebasing: bytes[start..<Int(end)])
          start = Int(end)
          // Keys of neighbouring items mostly have the same beginning and different ends.
          guard candidate.count == key.count, candidate.last == key.last else { continue }
          if candidate.elementsEqual(UnsafeRawBufferPointer(key)) { return index }
        }
        return nil
      }
    }
  }
}

extension ItemLeaf: LabelledLeaf {
  func keyHash(at index: Int, _ hash: KeyedHash) -> UInt64 {
    keyBytes.withUnsafeBytes { bytes in
      hash.ofKey(UnsafeRawBufferPointer(rebasing: bytes[keyRange(at: index)]))
    }
  }
}

/// The measured length of an item in one layout, which replaces the length that follows from the
/// natural size; optionally with a cross length.
///
/// It is stored with the item, not with the layout's result: a result can be computed again at
/// any time, but a measurement cannot.
struct PreferredLength: Sendable, Equatable {
  /// The item's index in its leaf.
  var item: Int
  /// The layout's ID.
  var layout: Int64
  /// Along the main axis; above zero.
  var length: Length
  /// Along the cross axis; above zero. `nil` for the length that follows from the natural size.
  var crossLength: Length?

  func isOrdered(before other: PreferredLength) -> Bool {
    (item, layout) < (other.item, other.layout)
  }
}

extension SumTree<ItemLeaf> {
  /// Calls `body` with the items of a range, run by run.
  ///
  /// - Complexity: O(log n) nodes, plus the leaves in the range.
  func forEachRun(
    of range: Range<Int>, in session: TreeSession, _ body: (ItemLeaf) throws -> Void
  ) throws {
    try forEachLeaf(overlapping: range, in: session) { leaf, start in
      let wanted = range.clamped(to: start..<(start + leaf.count))
      try body(leaf.slice((wanted.lowerBound - start)..<(wanted.upperBound - start)))
    }
  }
}
