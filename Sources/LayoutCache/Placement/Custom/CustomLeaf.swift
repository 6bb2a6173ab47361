import CollectionLayout
import LayoutGeometry
import SumTree

/// A run of items of a custom section: each item's frame and the state after it.
struct CustomLeaf: Sendable, Equatable {
  /// The frames; y is relative to the anchor before the item.
  private(set) var frames: [Rect] = []
  /// The distance by which each item advances the anchor, in units; not negative.
  private(set) var advances: [Int64] = []
  /// The appearance of each item; empty if all are plain.
  private var looks: [CellLook] = []
  /// The transforms and the values of the items that have any, by index.
  private var extras: [Int: CellExtras] = [:]
  /// The concatenated states after the items.
  private var stateNumbers: [Int64] = []
  /// The end of each item's state in `stateNumbers`.
  private var stateEnds: [Int] = []

  mutating func append(_ placement: ItemPlacement, state: [Int64]) {
    let extras = CellExtras(placement.transform, placement.values)
    let look = CellLook(
      alpha: placement.alpha, zIndex: Int32(placement.zIndex), isHidden: placement.isHidden,
      hasExtras: extras != nil)
    append(placement.frame, advance: placement.advance.units, look, extras, state: state)
  }

  private mutating func append(
    _ frame: Rect, advance: Int64, _ look: CellLook, _ extras: CellExtras?, state: [Int64]
  ) {
    if !looks.isEmpty || !look.isPlain {
      looks += Array(repeating: .plain, count: frames.count - looks.count)
      looks.append(look)
    }
    if let extras { self.extras[frames.count] = extras }
    frames.append(frame)
    advances.append(advance)
    stateNumbers += state
    stateEnds.append(stateNumbers.count)
  }

  /// Returns an item's appearance.
  func look(at index: Int) -> CellLook { looks.isEmpty ? .plain : looks[index] }

  /// Returns an item's transform and values.
  func extras(at index: Int) -> CellExtras? { extras[index] }

  /// Returns the state after an item.
  func state(after index: Int) -> [Int64] {
    Array(stateNumbers[(index == 0 ? 0 : stateEnds[index - 1])..<stateEnds[index]])
  }
}

extension CustomLeaf: PlacedLeaf {
  static func shape(_ shapes: TreeShapes) -> TreeShape { shapes.custom }

  func isElement(_ index: Int, equalTo other: Int, of leaf: CustomLeaf) -> Bool {
    frames[index] == leaf.frames[other] && advances[index] == leaf.advances[other]
      && look(at: index) == leaf.look(at: other) && extras[index] == leaf.extras[other]
      && state(after: index) == leaf.state(after: other)
  }

  var count: Int { frames.count }

  var byteCount: Int {
    48 * count + 8 * stateNumbers.count + 16 * looks.count + 176
      + extras.values.reduce(0) { $0 + $1.byteCount }
  }

  var summary: CustomSummary {
    var summary = CustomSummary.identity
    for index in frames.indices { summary.append(self.summary(ofItem: index)) }
    return summary
  }

  func summary(ofItem index: Int) -> CustomSummary {
    let frame = frames[index]
    return CustomSummary(
      advance: advances[index], extent: frame.minY.units..<frame.maxY.units,
      reach: extras[index]?.transform.reach(beyond: frame).units ?? 0)
  }

  func slice(_ range: Range<Int>) -> CustomLeaf {
    var slice = CustomLeaf()
    for index in range {
      slice.append(
        frames[index], advance: advances[index], look(at: index), extras[index],
        state: state(after: index))
    }
    return slice
  }

  func joined(with next: CustomLeaf) -> CustomLeaf {
    var joined = self
    joined.frames += next.frames
    joined.advances += next.advances
    if !looks.isEmpty || !next.looks.isEmpty {
      joined.looks = (0..<count).map(look(at:)) + (0..<next.count).map(next.look(at:))
    }
    for (index, extras) in next.extras { joined.extras[count + index] = extras }
    joined.stateNumbers += next.stateNumbers
    joined.stateEnds += next.stateEnds.map { $0 + stateNumbers.count }
    return joined
  }

  // looks    u8 0, if some item is not plain
  // count    varint, at least 1
  // for each item:
  //   x, y           zigzag varint, units
  //   width, height  varint, units
  //   advance        varint, units
  //   state          its count (varint), and each number as a zigzag varint
  //   look           if the leaf begins with 0: u8, 1 hidden, 2 a z-index follows (zigzag
  //                  varint), 4 an alpha (varint: the bits of a double,
  //                  the highest byte lowest), 8 extras (varint: their number among the leaf's
  //                  distinct ones, from 0), which follow where their number first occurs
  // extras     the transform from m11 to m44, each member as an alpha; the values as JSON, its
  //            count of bytes (varint) first, 0 without values

  func encode(into writer: inout ByteWriter) {
    if !looks.isEmpty { writer.writeUInt8(0) }
    writer.writeCount(count)
    var numbers: [CellExtras: Int] = [:]
    for index in 0..<count {
      let frame = frames[index]
      writer.writeSignedVarint(frame.origin.x.units)
      writer.writeSignedVarint(frame.origin.y.units)
      writer.writeVarint(UInt64(frame.size.width.units))
      writer.writeVarint(UInt64(frame.size.height.units))
      writer.writeVarint(UInt64(advances[index]))
      let state = state(after: index)
      writer.writeCount(state.count)
      for number in state { writer.writeSignedVarint(number) }
      if !looks.isEmpty { looks[index].encode(into: &writer) }
      guard let extras = extras[index] else { continue }
      let number = numbers[extras] ?? numbers.count
      writer.writeCount(number)
      if number == numbers.count { extras.encode(into: &writer) }
      numbers[extras] = number
    }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    let hasLooks = try reader.skip(0)
    let count = try reader.readCount(limit: Int(Int32.max), sizeMin: 6)
    var total = Length.zero
    var distinct: [CellExtras] = []
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
      let look = hasLooks ? try CellLook(from: &reader) : .plain
      let extras = look.hasExtras ? try Self.extras(from: &reader, frame, &distinct) : nil
      append(frame, advance: advance.units, look, extras, state: state)
    }
    if hasLooks && looks.isEmpty { throw reader.malformed("looks") }
  }

  /// - Parameter distinct: The extras read before, to which new ones are added.
  private static func extras(
    from reader: inout ByteReader, _ frame: Rect, _ distinct: inout [CellExtras]
  ) throws(ByteError) -> CellExtras {
    let number = try reader.readCount(limit: distinct.count)
    if number == distinct.count { distinct.append(try CellExtras(from: &reader)) }
    guard distinct[number].transform.reach(beyond: frame) <= Limits.customReachMax else {
      throw reader.malformed("transform")
    }
    return distinct[number]
  }

  private static func side(from reader: inout ByteReader) throws(ByteError) -> Length {
    Length(units: Int64(try reader.readCount(limit: Int(Limits.sideMax.units))))
  }

  private static func position(from reader: inout ByteReader) throws(ByteError) -> Length {
    Length(units: try reader.readSignedVarint(limit: Int(Limits.customReachMax.units)))
  }
}

/// The flags of an encoded appearance.
private struct LookParts: OptionSet {
  let rawValue: UInt8

  static let hidden = LookParts(rawValue: 1)
  static let zIndex = LookParts(rawValue: 2)
  static let alpha = LookParts(rawValue: 4)
  static let extras = LookParts(rawValue: 8)
}

extension CellLook {
  fileprivate func encode(into writer: inout ByteWriter) {
    var parts: LookParts = isHidden ? .hidden : []
    if zIndex != 0 { parts.insert(.zIndex) }
    if alpha != 1 { parts.insert(.alpha) }
    if hasExtras { parts.insert(.extras) }
    writer.writeUInt8(parts.rawValue)
    if parts.contains(.zIndex) { writer.writeSignedVarint(Int64(zIndex)) }
    if parts.contains(.alpha) { writer.writeVarint(alpha.bitPattern.byteSwapped) }
  }

  fileprivate init(from reader: inout ByteReader) throws(ByteError) {
    let parts = LookParts(rawValue: try reader.readUInt8())
    guard parts.rawValue < 16 else { throw reader.malformed("look") }
    self.init(isHidden: parts.contains(.hidden), hasExtras: parts.contains(.extras))
    if parts.contains(.zIndex) {
      zIndex = Int32(try reader.readSignedVarint(limit: Limits.customZIndexMax))
    }
    if parts.contains(.alpha) {
      alpha = try reader.readDouble()
      guard alpha >= 0 && alpha <= 1 else { throw reader.malformed("alpha") }
    }
  }
}

extension CellExtras {
  fileprivate func encode(into writer: inout ByteWriter) {
    for member in transform.members { writer.writeVarint(member.bitPattern.byteSwapped) }
    writer.write(text: values.isEmpty ? "" : ConfigurationValue.object(values).json)
  }

  fileprivate init(from reader: inout ByteReader) throws(ByteError) {
    var members: [Double] = []
    while members.count < 16 { members.append(try reader.readDouble()) }
    let json = try reader.readText(limit: Limits.customValuesBytesMax)
    guard members.allSatisfy({ abs($0) <= Limits.customTransformMax }),
      let values = json.isEmpty ? [:] : [String: ConfigurationValue](json: json),
      values.count <= Limits.customValuesMax,
      let extras = CellExtras(Transform3D(members: members), values)
    else { throw reader.malformed("extras") }
    self = extras
  }
}

extension ByteReader {
  /// Reads a double that is written as a varint of its bits, the highest byte lowest.
  fileprivate mutating func readDouble() throws(ByteError) -> Double {
    Double(bitPattern: try readVarint().byteSwapped)
  }

  /// Reads a signed number.
  ///
  /// - Throws: `ByteError` if its magnitude exceeds the limit.
  mutating func readSignedVarint(limit: Int) throws(ByteError) -> Int64 {
    let number = try readSignedVarint()
    guard number.magnitude <= UInt64(limit) else { throw malformed("number") }
    return number
  }
}

/// The extent of a run of a custom section's items.
struct CustomSummary: Summary {
  /// The distance by which the run advances the anchor, in units.
  var advance: Int64
  /// The extent of the items along the main axis, in units from the anchor before the
  /// run; `nil` without items.
  var extent: Range<Int64>?
  /// The distance by which transforms extend the frames of the items at most, in units. The
  /// content's length does not depend on it.
  var reach: Int64

  static let identity = CustomSummary(advance: 0, extent: nil, reach: 0)

  mutating func append(_ next: CustomSummary) {
    reach = max(reach, next.reach)
    if let other = next.extent {
      let moved = (other.lowerBound + advance)..<(other.upperBound + advance)
      extent = extent?.hull(with: moved) ?? moved
    }
    advance += next.advance
  }

  init(advance: Int64, extent: Range<Int64>?, reach: Int64) {
    (self.advance, self.extent, self.reach) = (advance, extent, reach)
  }

  /// Whether items may be in a range of the main axis, given the anchor before them.
  func mayReach(_ range: Range<Int64>, from anchor: Int64) -> Bool {
    guard let extent else { return false }
    return anchor + extent.lowerBound - reach < range.upperBound
      && anchor + extent.upperBound + reach > range.lowerBound
  }

  /// Checks that the items are within the section's content, and that the content is not too long.
  ///
  /// - Throws: `LimitError`.
  func check(_ plan: CustomPlan) throws(LimitError) {
    if let extent { try plan.check(start: Length(units: extent.lowerBound)) }
    try Limits.checkContent(max(anchor, itemsEnd))
  }

  /// The end of the furthest item of a section's first items; 0 without items.
  var itemsEnd: Length { Length(units: max(0, extent?.upperBound ?? 0)) }

  /// The anchor after a section's items.
  var anchor: Length { Length(units: advance) }

  // advance  varint, units
  // extent   u8: 0 for none; otherwise 1, its start (zigzag varint) and its length (varint); or 2,
  //          the same, and the reach (varint) if that is not 0

  func encode(into writer: inout ByteWriter) {
    writer.writeVarint(UInt64(advance))
    writer.writeUInt8(extent == nil ? 0 : reach == 0 ? 1 : 2)
    guard let extent else { return }
    writer.writeSignedVarint(extent.lowerBound)
    writer.writeVarint(UInt64(extent.upperBound - extent.lowerBound))
    if reach > 0 { writer.writeVarint(UInt64(reach)) }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    advance = Int64(try reader.readCount(limit: PlacedAdvance.max))
    reach = 0
    switch try reader.readUInt8() {
    case 0: extent = nil
    case let form where form <= 2:
      let start = try reader.readSignedVarint(limit: PlacedAdvance.max)
      let length = try reader.readCount(limit: PlacedAdvance.max)
      extent = start..<(start + Int64(length))
      if form == 2 { reach = Int64(try reader.readCount(limit: Int(Limits.customReachMax.units))) }
    default: throw reader.malformed("extent")
    }
  }
}

/// The position before an item.
struct CustomPosition: PlacedPosition {
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

/// The extent of a run of items.
struct CustomExtent: ElementDimension {
  private(set) var summary = CustomSummary.identity

  mutating func advance(over summary: CustomSummary, count: Int) {
    self.summary.append(summary)
  }

  mutating func pass(_ index: Int, of leaf: CustomLeaf) {
    summary.append(leaf.summary(ofItem: index))
  }
}

/// The stored items of a section of a custom kind.
struct KeptCustom: SoleTree {
  static let tag: UInt8 = 4

  var tree: SumTree<CustomLeaf>

  var itemCount: Int { tree.count }

  var reach: Length { Length(units: tree.summary.reach) }
}
