import CollectionLayout
import LayoutGeometry
import SumTree

/// A run of items of a custom section: where each was put, and the state behind it.
struct CustomLeaf: Sendable, Equatable {
  /// The rectangles, y from the anchor before the item.
  private(set) var frames: [Rect] = []
  /// How far each item moves the anchor, in units; not negative.
  private(set) var advances: [Int64] = []
  /// The states behind the items, one after the other.
  private var stateNumbers: [Int64] = []
  /// Where each item's state ends in `stateNumbers`.
  private var stateEnds: [Int] = []

  mutating func append(_ placement: ItemPlacement, state: [Int64]) {
    frames.append(placement.frame)
    advances.append(placement.advance.units)
    stateNumbers += state
    stateEnds.append(stateNumbers.count)
  }

  /// The state behind an item.
  func state(behind index: Int) -> [Int64] {
    Array(stateNumbers[(index == 0 ? 0 : stateEnds[index - 1])..<stateEnds[index]])
  }
}

/// What a run of a custom section's items covers.
struct CustomSummary: Summary {
  /// How far the run moves the anchor, in units.
  var advance: Int64
  /// What the items cover along the main axis, in units from the anchor before the
  /// run; `nil` without items.
  var extent: Range<Int64>?

  static let identity = CustomSummary(advance: 0, extent: nil)

  mutating func append(_ next: CustomSummary) {
    if let other = next.extent {
      let moved = (other.lowerBound + advance)..<(other.upperBound + advance)
      extent = extent?.hull(with: moved) ?? moved
    }
    advance += next.advance
  }

  init(advance: Int64, extent: Range<Int64>?) {
    self.advance = advance
    self.extent = extent
  }

  /// Checks that the items lie within a section's content, and that it is not too long.
  ///
  /// - Throws: `LimitError`.
  func check(_ plan: CustomPlan) throws(LimitError) {
    if let extent { try plan.check(start: Length(units: extent.lowerBound)) }
    try Limits.checkContent(max(Length(units: advance), contentLength))
  }

  /// The content's length: to the end of the item that reaches furthest.
  var contentLength: Length { Length(units: max(0, extent?.upperBound ?? 0)) }

  // advance  varint, units
  // extent   u8: 0 for none; otherwise 1, its start (zigzag varint) and its length (varint)

  func encode(into writer: inout ByteWriter) {
    writer.writeVarint(UInt64(advance))
    writer.writeUInt8(extent == nil ? 0 : 1)
    guard let extent else { return }
    writer.writeSignedVarint(extent.lowerBound)
    writer.writeVarint(UInt64(extent.upperBound - extent.lowerBound))
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    advance = Int64(try reader.readCount(limit: PlacedAdvance.max))
    switch try reader.readUInt8() {
    case 0: extent = nil
    case 1:
      let start = try reader.readSignedVarint(limit: PlacedAdvance.max)
      let length = try reader.readCount(limit: PlacedAdvance.max)
      extent = start..<(start + Int64(length))
    default: throw reader.malformed("extent")
    }
  }
}

/// The place before an item.
struct CustomPlace: PlacedPlace {
  var item = 0
  /// The anchor, in units from the content's start.
  var position: Int64 = 0

  var element: Int { item }

  mutating func advance(over summary: CustomSummary, count: Int) {
    item += count
    position += summary.advance
  }

  mutating func pass(_ index: Int, of leaf: CustomLeaf) {
    item += 1
    position += leaf.advances[index]
  }
}

/// What a run of items covers.
struct CustomExtent: ElementDimension {
  private(set) var summary = CustomSummary.identity

  mutating func advance(over summary: CustomSummary, count: Int) {
    self.summary.append(summary)
  }

  mutating func pass(_ index: Int, of leaf: CustomLeaf) {
    summary.append(leaf.summary(ofItem: index))
  }
}

extension CustomLeaf: PlacedLeaf {
  static func shape(_ shapes: TreeShapes) -> TreeShape { shapes.custom }

  func isElement(_ index: Int, equalTo other: Int, of leaf: CustomLeaf) -> Bool {
    frames[index] == leaf.frames[other] && advances[index] == leaf.advances[other]
      && state(behind: index) == leaf.state(behind: other)
  }

  var count: Int { frames.count }

  var byteCount: Int { 48 * count + 8 * stateNumbers.count + 160 }

  var summary: CustomSummary {
    var summary = CustomSummary.identity
    for index in frames.indices { summary.append(self.summary(ofItem: index)) }
    return summary
  }

  func summary(ofItem index: Int) -> CustomSummary {
    let frame = frames[index]
    return CustomSummary(
      advance: advances[index], extent: frame.minY.units..<frame.maxY.units)
  }

  func slice(_ range: Range<Int>) -> CustomLeaf {
    var slice = CustomLeaf()
    for index in range {
      slice.append(
        ItemPlacement(frame: frames[index], advance: Length(units: advances[index])),
        state: state(behind: index))
    }
    return slice
  }

  func joined(with next: CustomLeaf) -> CustomLeaf {
    var joined = self
    joined.frames += next.frames
    joined.advances += next.advances
    joined.stateNumbers += next.stateNumbers
    joined.stateEnds += next.stateEnds.map { $0 + stateNumbers.count }
    return joined
  }

  // count    varint, at least 1
  // for each item:
  //   x, y           zigzag varint, units
  //   width, height  varint, units
  //   advance        varint, units
  //   state          its count (varint), and each number as a zigzag varint

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(count)
    for index in 0..<count {
      let frame = frames[index]
      writer.writeSignedVarint(frame.origin.x.units)
      writer.writeSignedVarint(frame.origin.y.units)
      writer.writeVarint(UInt64(frame.size.width.units))
      writer.writeVarint(UInt64(frame.size.height.units))
      writer.writeVarint(UInt64(advances[index]))
      let state = state(behind: index)
      writer.writeCount(state.count)
      for number in state { writer.writeSignedVarint(number) }
    }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    let count = try reader.readCount(limit: Int(Int32.max), sizeMin: 6)
    var total = Length.zero
    for _ in 0..<count {
      let frame = Rect(
        x: try Self.position(from: &reader), y: try Self.position(from: &reader),
        width: try Self.side(from: &reader), height: try Self.side(from: &reader))
      let advance = Length(
        units: Int64(try reader.readCount(limit: Int(Limits.customReachMax.units))))
      total += advance
      guard total.units <= PlacedAdvance.max else { throw reader.malformed("advances") }
      let stateCount = try reader.readCount(limit: Limits.customStateCountMax)
      var state: [Int64] = []
      for _ in 0..<stateCount { state.append(try reader.readSignedVarint()) }
      append(ItemPlacement(frame: frame, advance: advance), state: state)
    }
  }

  private static func side(from reader: inout ByteReader) throws(ByteError) -> Length {
    Length(units: Int64(try reader.readCount(limit: Int(Limits.sideMax.units))))
  }

  private static func position(from reader: inout ByteReader) throws(ByteError) -> Length {
    Length(units: try reader.readSignedVarint(limit: Int(Limits.customReachMax.units)))
  }
}

extension ByteReader {
  /// Reads a number of either sign.
  ///
  /// - Throws: `ByteError` for one whose magnitude is above the limit.
  fileprivate mutating func readSignedVarint(limit: Int) throws(ByteError) -> Int64 {
    let number = try readSignedVarint()
    guard number.magnitude <= UInt64(limit) else { throw malformed("number") }
    return number
  }
}
