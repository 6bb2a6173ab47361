import CollectionLayout
import LayoutGeometry
import SumTree

/// The extent of a run of a custom section's items.
struct CustomSummary: Summary {
  /// The distance by which the run advances the anchor, in units.
  var advance: Int64
  /// The extent of the items along the main axis, in units from the anchor before the
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

  /// Checks that the items are within the section's content, and that the content is not too
  /// long.
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
