import LayoutGeometry

/// What edits did to a waterfall section.
struct WaterfallChange {
  /// The items whose index or place may have changed, by index after the edits.
  var items = RangeSet<Int>()
  /// The columns in which an item moved, came or went.
  var columns = RangeSet<Int>()
  /// What moved, came or went, before and after, in units from the content's start.
  var interval: Range<Int64>?
  /// The items whose length or place was computed.
  var recomputedItems = 0

  mutating func note(items range: Range<Int>) { items.insert(contentsOf: range) }

  mutating func note(columns range: Range<Int>) { columns.insert(contentsOf: range) }

  mutating func note(interval range: Range<Int64>) {
    interval =
      interval.map {
        min($0.lowerBound, range.lowerBound)..<max($0.upperBound, range.upperBound)
      } ?? range
  }
}
