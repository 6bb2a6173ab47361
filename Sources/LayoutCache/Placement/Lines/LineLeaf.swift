import CollectionLayout
import LayoutGeometry
import SumTree

/// A run of lines of a flow or justified section: each line's item count and advance. The
/// positions of a line's items follow from their sizes.
struct LineLeaf: Sendable, Equatable {
  /// The number of items in each line, at least 1.
  private(set) var counts: [Int] = []
  /// Each line's length plus the line spacing, in units; at least 1.
  private(set) var advances: [Int64] = []

  mutating func append(_ line: Line, spacing: Length) {
    counts.append(line.count)
    advances.append((line.length + spacing).units)
  }

  func line(at index: Int, spacing: Length) -> Line {
    Line(count: counts[index], length: Length(units: advances[index]) - spacing)
  }
}

/// The totals of a run of lines.
struct LineSummary: Summary {
  var itemCount: Int
  /// The lines' lengths, with a line spacing after each, in units.
  var advance: Int64

  static let identity = LineSummary(itemCount: 0, advance: 0)

  mutating func append(_ next: LineSummary) {
    itemCount += next.itemCount
    advance += next.advance
  }

  init(itemCount: Int, advance: Int64) {
    self.itemCount = itemCount
    self.advance = advance
  }

  /// The content's length; 0 without lines.
  func contentLength(spacing: Length) -> Length {
    itemCount == 0 ? .zero : Length(units: advance) - spacing
  }

  // items    varint
  // advance  varint, units

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(itemCount)
    writer.writeVarint(UInt64(advance))
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    itemCount = try reader.readCount(limit: Limits.itemsMax)
    advance = Int64(try reader.readCount(limit: PlacedAdvance.max))
  }
}

/// The position of a line: its index, the number of items before it, and its start.
struct LinePosition: PlacedPosition, Equatable {
  var element = 0
  var item = 0
  /// In units from the content's start.
  var position: Int64 = 0

  mutating func advance(over summary: LineSummary, count: Int) {
    element += count
    item += summary.itemCount
    position += summary.advance
  }

  mutating func pass(_ index: Int, of leaf: LineLeaf) {
    element += 1
    item += leaf.counts[index]
    position += leaf.advances[index]
  }
}

extension LineLeaf: PlacedLeaf {
  static func shape(_ shapes: TreeShapes) -> TreeShape { shapes.lines }

  func isElement(_ index: Int, equalTo other: Int, of leaf: LineLeaf) -> Bool {
    counts[index] == leaf.counts[other] && advances[index] == leaf.advances[other]
  }

  var count: Int { counts.count }

  var byteCount: Int { 16 * count + 96 }

  var summary: LineSummary {
    LineSummary(itemCount: counts.reduce(0, +), advance: advances.reduce(0, +))
  }

  func slice(_ range: Range<Int>) -> LineLeaf {
    var slice = LineLeaf()
    slice.counts = Array(counts[range])
    slice.advances = Array(advances[range])
    return slice
  }

  func joined(with next: LineLeaf) -> LineLeaf {
    var joined = self
    joined.counts += next.counts
    joined.advances += next.advances
    return joined
  }

  // count    varint, at least 1
  // items    varint × count, at least 1
  // advance  varint × count, units, at least 1

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(count)
    for count in counts { writer.writeCount(count) }
    for advance in advances { writer.writeVarint(UInt64(advance)) }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    let count = try reader.readCount(limit: Int(Int32.max), sizeMin: 2)
    counts = try reader.readCounts(count, sumMax: Limits.itemsMax).map { Int($0) }
    advances = try reader.readCounts(count, sumMax: PlacedAdvance.max)
  }
}

/// The lines of a flow or justified section.
struct KeptLines: SoleTree {
  static let tag: UInt8 = 3

  var tree: SumTree<LineLeaf>

  var itemCount: Int { tree.summary.itemCount }
}
