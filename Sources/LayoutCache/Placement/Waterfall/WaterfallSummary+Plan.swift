import CollectionLayout
import LayoutGeometry

/// What the summary of a whole section says.
extension WaterfallSummary {
  /// The columns' next positions after the last item, in units from the content's
  /// start.
  func positions(of plan: WaterfallPlan) -> [Int64] {
    var positions = [Int64](repeating: 0, count: plan.tracks.count)
    map.apply(to: &positions)
    return positions
  }

  /// The content's length; 0 with no items.
  func contentLength(of plan: WaterfallPlan) -> Length {
    let end = positions(of: plan).max() ?? 0
    return end == 0 ? .zero : Length(units: end) - plan.lineSpacing
  }

  /// Where the columns end: each column's last item's end, 0 without one.
  func columnEnds(of plan: WaterfallPlan) -> [Length] {
    positions(of: plan).map { $0 == 0 ? .zero : Length(units: $0) - plan.lineSpacing }
  }

  /// How far the columns' next positions differ, in units.
  func skew(of plan: WaterfallPlan) -> Int64 { Self.skew(of: positions(of: plan)) }

  static func skew(of positions: [Int64]) -> Int64 {
    (positions.max() ?? 0) - (positions.min() ?? 0)
  }

  /// How far they may differ before the section is rebalanced: by the longest item,
  /// as after any placement, and the skew that is configured.
  func skewMax(of plan: WaterfallPlan) -> Int64 {
    let longest = longestAdvance == 0 ? 0 : longestAdvance - plan.lineSpacing.units
    return longest + plan.maximumSkew.units
  }

  /// Whether a stable section is to be evened out.
  ///
  /// - Parameter settledSkew: What the last placement could not even out; a skew is
  ///   only worth another placement once it is twice that.
  func isSkewed(in plan: WaterfallPlan, settledSkew: Int64) -> Bool {
    let skew = skew(of: plan)
    return skew > skewMax(of: plan) && skew > 2 * settledSkew
  }

  /// Whether a stable section is evened out: its columns' ends differ by no more than
  /// the longest item and half the skew that is configured.
  func isEven(in plan: WaterfallPlan) -> Bool {
    let maximumSkew = plan.maximumSkew.units
    return skew(of: plan) <= skewMax(of: plan) - maximumSkew + maximumSkew / 2
  }

  /// What a placement that came to this result leaves behind as
  /// ``KeptWaterfall/settledSkew``.
  func settledSkew(of plan: WaterfallPlan) -> Int64 {
    let skew = skew(of: plan)
    return skew > skewMax(of: plan) ? skew : 0
  }
}
