import LayoutGeometry

/// The effect of edits on a section's placed items.
struct PlacementChange {
  /// The items whose index or place may have changed, by index after the edits.
  var items = RangeSet<Int>()
  /// The columns in which an item moved, came or went, where a column is kept for
  /// each item.
  var columns = ColumnSet()
  /// The extent of the elements that were moved, inserted or deleted, before and after, in
  /// units from the content's start.
  var interval: Range<Int64>?
  /// The items whose length or place was computed.
  var recomputedItems = 0
  /// The items that have been placed again because the columns were uneven.
  var placedAnew: Range<Int>?
  /// Whether what is kept of the section has changed.
  var isKept = true
  /// Whether columns are computed from the index when they are asked for, and so are no
  /// work.
  var areColumnsComputed = false

  mutating func note(items range: Range<Int>) {
    // Most edits note one range, which costs no search.
    if items.isEmpty { items = RangeSet(range) } else { items.insert(contentsOf: range) }
  }

  mutating func note(interval range: Range<Int64>) {
    interval = interval?.hull(with: range) ?? range
  }
}
