import LayoutGeometry
import SumTree

/// The summary of a run of placed items in a waterfall's tree.
struct WaterfallSummary: Summary {
  /// The effect of the run on the columns' next positions.
  var map: ColumnMap
  /// The greatest advance of an item, in units: its length plus the line spacing; 0 without
  /// items.
  var longestAdvance: Int64

  static let identity = WaterfallSummary(map: .identity, longestAdvance: 0)

  var isQuicklyMultiplied: Bool { map.narrowShifts != nil }

  mutating func append(_ next: WaterfallSummary) {
    map.append(next.map)
    longestAdvance = max(longestAdvance, next.longestAdvance)
  }

  init(map: ColumnMap, longestAdvance: Int64) {
    self.map = map
    self.longestAdvance = longestAdvance
  }

  // map             as ColumnMap
  // longestAdvance  varint

  func encode(into writer: inout ByteWriter) {
    map.encode(into: &writer)
    writer.writeVarint(UInt64(longestAdvance))
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    map = try ColumnMap(from: &reader)
    longestAdvance = Int64(try reader.readCount(limit: PlacedAdvance.max))
  }
}
