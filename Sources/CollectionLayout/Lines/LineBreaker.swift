package import LayoutGeometry

/// Breaks items into lines incrementally.
package struct LineBreaker: Sendable {
  private let plan: LinePlan
  /// The number of items in the open line.
  package private(set) var openCount = 0
  /// Flow: the width of the open line's items, with a gap after each.
  private var taken = Length.zero
  /// Flow: the greatest length of an item in the open line.
  private var longest = Length.zero
  /// Justified: the sum of the open line's ratios, from left to right.
  private var ratios = 0.0
  /// Justified: the open line's length if it were closed, in units.
  private var height = Double.infinity

  /// Creates a breaker at the start of a line.
  package init(plan: LinePlan) { self.plan = plan }

  /// Appends the next item.
  ///
  /// - Parameters:
  ///   - item: The size from ``LinePlan/size(of:)``.
  ///   - close: Receives the lines completed by the item: at most two.
  /// - Throws: `LimitError` for a line beyond ``Limits/contentLengthMax``; the errors of
  ///   `close`.
  package mutating func take(_ item: Size, _ close: (Line) throws -> Void) throws {
    switch plan {
    case .flow(let plan):
      if openCount > 0, taken + item.width > plan.line.upperBound - plan.line.lowerBound {
        try close(Line(count: openCount, length: longest))
        self = LineBreaker(plan: self.plan)
      }
      openCount += 1
      taken += item.width + plan.interitemSpacing
      longest = max(longest, item.height)
    case .justified(let plan):
      let whole = plan.height(ofCount: openCount + 1, ratios: ratios + plan.ratio(of: item))
      if whole > plan.target {
        openCount += 1
        ratios += plan.ratio(of: item)
        height = whole
      } else if openCount > 0, abs(height - plan.target) < abs(whole - plan.target) {
        try close(Line(count: openCount, length: plan.length(height)))
        self = LineBreaker(plan: self.plan)
        try take(item, close)
      } else {
        try close(Line(count: openCount + 1, length: plan.length(whole)))
        self = LineBreaker(plan: self.plan)
      }
    }
  }

  /// Returns the section's last line, if one is open.
  ///
  /// - Throws: As ``take(_:_:)``.
  package func last() throws(LimitError) -> Line? {
    if openCount == 0 { return nil }
    switch plan {
    case .flow: return Line(count: openCount, length: longest)
    case .justified(let plan):
      return Line(count: openCount, length: try plan.length(plan.unfinishedHeight(height)))
    }
  }
}
