import CollectionLayout
import LayoutGeometry

/// Properties of a whole section.
extension WaterfallSummary {
  /// Returns the columns' next positions after the last item, in units from the content's
  /// start.
  func positions(of plan: WaterfallPlan) -> [Int64] {
    var positions = [Int64](repeating: 0, count: plan.tracks.count)
    map.apply(to: &positions)
    return positions
  }

  /// Returns the content's length; 0 without items.
  func contentLength(of plan: WaterfallPlan) -> Length {
    let end = positions(of: plan).max() ?? 0
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
