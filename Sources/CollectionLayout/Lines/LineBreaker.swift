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
  /// The length of the line before the open one; `nil` at the section's start.
  package let lengthBefore: Length?

  /// Creates a breaker at the start of a line.
  ///
  /// - Parameter lengthBefore: The length of the line before it.
  package init(plan: LinePlan, after lengthBefore: Length? = nil) {
    self.plan = plan
    self.lengthBefore = lengthBefore
  }

  /// Appends the next item.
  ///
  /// - Parameters:
  ///   - item: The size from ``LinePlan/size(of:)``.
  ///   - close: Receives the lines completed by the item: at most two.
  /// - Throws: `LimitError` for a line beyond ``Limits/contentLengthMax``; the errors of `close`.
  package mutating func take(_ item: Size, _ close: (Line) throws -> Void) throws {
    switch plan {
    case .flow(let plan):
      if openCount > 0, taken + item.width > plan.line.upperBound - plan.line.lowerBound {
        try end(Line(count: openCount, length: longest), close)
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
        try end(Line(count: openCount, length: plan.length(height)), close)
        try take(item, close)
      } else {
        try end(Line(count: openCount + 1, length: plan.length(whole)), close)
      }
    }
  }

  /// Starts the next line.
  private mutating func end(_ line: Line, _ close: (Line) throws -> Void) throws {
    try close(line)
    self = LineBreaker(plan: plan, after: line.length)
  }

  /// Returns the section's last line, if one is open.
  ///
  /// - Throws: As ``take(_:_:)``.
  package func last() throws(LimitError) -> Line? {
    if openCount == 0 { return nil }
    switch plan {
    case .flow: return Line(count: openCount, length: longest)
    case .justified(let plan):
      let height = plan.unfinishedHeight(height, after: lengthBefore)
      return Line(count: openCount, length: try plan.length(height))
    }
  }
}
