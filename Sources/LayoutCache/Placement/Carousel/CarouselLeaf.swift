import LayoutGeometry
import SumTree

/// A run of items of a carousel: each item's advance along the line, and its length.
struct CarouselLeaf: Sendable, Equatable {
  /// Each item's width plus the spacing, in units; at least 1.
  private(set) var advances: [Int64] = []
  /// Each item's length along the main axis, in units; at least 1.
  private(set) var lengths: [Int64] = []

  mutating func append(_ size: Size, spacing: Length) {
    advances.append((size.width + spacing).units)
    lengths.append(size.height.units)
  }

  /// Returns an item's size.
  func size(at index: Int, spacing: Length) -> Size {
    // The bytes of a damaged file may have advances below the spacing.
    Size(
      width: max(Length(units: advances[index]) - spacing, Length(units: 1)),
      height: Length(units: lengths[index]))
  }
}

/// The totals of a run of a carousel's items.
struct CarouselSummary: Summary {
  /// The items' widths, with a spacing after each, in units.
  var advance: Int64
  /// The greatest length of an item, in units; 0 without items.
  var longest: Int64

  static let identity = CarouselSummary(advance: 0, longest: 0)

  var isQuicklyMultiplied: Bool { true }

  mutating func append(_ next: CarouselSummary) {
    // Summaries from a file are multiplied before they are checked.
    advance &+= next.advance
    longest = max(longest, next.longest)
  }

  init(advance: Int64, longest: Int64) {
    self.advance = advance
    self.longest = longest
  }

  /// The length of a section with these items: that of its longest item.
  var contentLength: Length { Length(units: longest) }

  /// Returns the width of a section's items, with the gaps between them.
  func width(spacing: Length) -> Length {
    advance == 0 ? .zero : Length(units: advance) - spacing
  }

  // advance  varint, units
  // longest  varint, units

  func encode(into writer: inout ByteWriter) {
    writer.writeVarint(UInt64(advance))
    writer.writeVarint(UInt64(longest))
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    advance = Int64(try reader.readCount(limit: PlacedAdvance.max))
    longest = Int64(try reader.readCount(limit: Int(Limits.contentLengthMax.units)))
  }
}

/// The position before an item of a carousel.
struct CarouselPosition: ElementDimension {
  /// The index of the item.
  var item = 0
  /// The item's start across the main axis, in units from the first item's start.
  var start: Int64 = 0

  mutating func advance(over summary: CarouselSummary, count: Int) {
    item += count
    start += summary.advance
  }

  mutating func pass(_ index: Int, of leaf: CarouselLeaf) {
    item += 1
    start += leaf.advances[index]
  }
}

extension CarouselLeaf: PlacedLeaf {
  static func shape(_ shapes: TreeShapes) -> TreeShape { shapes.carousel }

  func isElement(_ index: Int, equalTo other: Int, of leaf: CarouselLeaf) -> Bool {
    advances[index] == leaf.advances[other] && lengths[index] == leaf.lengths[other]
  }

  var count: Int { advances.count }

  var byteCount: Int { 16 * count + 96 }

  var summary: CarouselSummary {
    CarouselSummary(advance: advances.reduce(0, +), longest: lengths.max() ?? 0)
  }

  func slice(_ range: Range<Int>) -> CarouselLeaf {
    var slice = CarouselLeaf()
    slice.advances = Array(advances[range])
    slice.lengths = Array(lengths[range])
    return slice
  }

  func joined(with next: CarouselLeaf) -> CarouselLeaf {
    var joined = self
    joined.advances += next.advances
    joined.lengths += next.lengths
    return joined
  }

  // count    varint, at least 1
  // advance  varint × count, units, at least 1
  // length   varint × count, units, at least 1

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(count)
    for advance in advances { writer.writeVarint(UInt64(advance)) }
    for length in lengths { writer.writeVarint(UInt64(length)) }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    let count = try reader.readCount(limit: Int(Int32.max), sizeMin: 2)
    advances = try reader.readCounts(count, sumMax: PlacedAdvance.max)
    lengths.reserveCapacity(count)
    for _ in 0..<count {
      let length = try reader.readCount(limit: Int(Limits.contentLengthMax.units))
      guard length > 0 else { throw reader.malformed("length") }
      lengths.append(Int64(length))
    }
  }
}

/// The stored items of a carousel.
struct KeptCarousel: SoleTree {
  static let tag: UInt8 = 5

  var tree: SumTree<CarouselLeaf>

  var itemCount: Int { tree.count }
}
