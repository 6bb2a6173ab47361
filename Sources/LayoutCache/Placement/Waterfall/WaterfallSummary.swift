import CollectionLayout
import LayoutGeometry
import SumTree

/// The summary of a run of placed items in a waterfall's tree.
struct WaterfallSummary: Summary {
  /// The effect of the run on the columns' next positions.
  var map: ColumnMap
  /// The greatest advance of an item, in units: its length plus the line spacing; 0 without items.
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

// Multiplying the maps of items over several columns is slow, so a node's summary is checked
// against its children by the end positions from 0. That is weaker than equality, but
// sufficient: columns never move backwards, so nothing below a node moves a position further
// than its map does, and no sum of them overflows.

extension WaterfallSummary {
  func isProduct(of children: ContiguousArray<WaterfallSummary>) -> Bool {
    let columnCount = map.columnCount
    var positions = [Int64](repeating: 0, count: columnCount)
    var longest: Int64 = 0
    for child in children {
      guard child.map.columnCount <= columnCount else { return false }
      child.map.apply(to: &positions)
      longest = max(longest, child.longestAdvance)
    }
    return longest == longestAdvance && positions == ends(of: columnCount)
  }

  /// Returns the columns' end positions, starting from 0.
  fileprivate func ends(of columnCount: Int) -> [Int64] {
    var positions = [Int64](repeating: 0, count: columnCount)
    map.apply(to: &positions)
    return positions
  }
}

extension WaterfallLeaf {
  func isSummed(by summary: WaterfallSummary) -> Bool {
    let columnCount = summary.map.columnCount
    var positions = [Int64](repeating: 0, count: columnCount)
    for index in 0..<count {
      guard columnRange(at: index).upperBound <= columnCount else { return false }
      _ = place(index, on: &positions)
    }
    return advances.max() == summary.longestAdvance && positions == summary.ends(of: columnCount)
  }
}

/// Properties of a whole section.
extension WaterfallSummary {
  /// Returns the columns' next positions after the last item, in units from the content's start.
  func positions(of plan: WaterfallPlan) -> [Int64] {
    var positions = [Int64](repeating: 0, count: plan.tracks.count)
    map.apply(to: &positions)
    return positions
  }

  /// Returns the content's length; 0 without items.
  func contentLength(of plan: WaterfallPlan) -> Length {
    // The common form needs no array.
    let end = map.narrowShifts?.greatest ?? positions(of: plan).max() ?? 0
    return end == 0 ? .zero : Length(units: end) - plan.lineSpacing
  }

  /// Returns the columns' ends: that of each column's last item, 0 without items.
  func columnEnds(of plan: WaterfallPlan) -> [Length] {
    positions(of: plan).map { $0 == 0 ? .zero : Length(units: $0) - plan.lineSpacing }
  }

  /// Returns the difference between the columns' next positions, in units.
  func skew(of plan: WaterfallPlan) -> Int64 { Self.skew(of: positions(of: plan)) }

  static func skew(of positions: [Int64]) -> Int64 {
    (positions.max() ?? 0) - (positions.min() ?? 0)
  }

  /// Returns the skew above which the section is rebalanced: the length of the longest item,
  /// which any placement may leave, plus the configured skew.
  func skewMax(of plan: WaterfallPlan) -> Int64 {
    let longest = longestAdvance == 0 ? 0 : longestAdvance - plan.lineSpacing.units
    return longest + plan.maximumSkew.units
  }

  /// Whether a stable section must be rebalanced.
  ///
  /// - Parameter settledSkew: The skew that the last placement left. Another placement is
  ///   worthwhile only once the skew is twice that.
  func isSkewed(in plan: WaterfallPlan, settledSkew: Int64) -> Bool {
    let skew = skew(of: plan)
    return skew > skewMax(of: plan) && skew > 2 * settledSkew
  }

  /// Whether a stable section is even: the skew is at most the length of the longest item plus
  /// half the configured skew.
  func isEven(in plan: WaterfallPlan) -> Bool {
    let maximumSkew = plan.maximumSkew.units
    return skew(of: plan) <= skewMax(of: plan) - maximumSkew + maximumSkew / 2
  }

  /// Returns the ``StoredWaterfall/settledSkew`` after a placement with this summary.
  func settledSkew(of plan: WaterfallPlan) -> Int64 {
    let skew = skew(of: plan)
    return skew > skewMax(of: plan) ? skew : 0
  }
}
