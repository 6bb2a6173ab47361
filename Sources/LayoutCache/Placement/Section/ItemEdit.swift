import LayoutGeometry

/// An edit of a section's list of items.
enum ItemEdit {
  /// Inserts items before the one at an index.
  case insert(ItemLeaf, at: Int)
  case delete(Range<Int>)
  /// Replaces the items from an index on with those of the leaf.
  case change(ItemLeaf, at: Int)
  /// Fills a section without items, as a layout from scratch does.
  case fill(ItemLeaf)
  /// Places the items from an index on again: up to `placing` items now, and the rest later.
  case rebalance(from: Int, placing: Int)

  /// The range of replaced items.
  var range: Range<Int> {
    switch self {
    case .insert(_, let index), .rebalance(let index, _): index..<index
    case .delete(let range): range
    case .fill: 0..<0
    case .change(let run, let index): index..<(index + run.count)
    }
  }

  /// The number of replacement items.
  var newCount: Int {
    switch self {
    case .insert(let run, _), .change(let run, _), .fill(let run): run.count
    case .delete, .rebalance: 0
    }
  }
}

/// The effect of edits on a section's placed items.
struct PlacementChange {
  /// The items whose index or position may have changed, by index after the edits.
  var items = RangeSet<Int>()
  /// The columns with moved, inserted or deleted items, if a column is stored for each item.
  var columns = ColumnSet()
  /// The extent of the elements that were moved, inserted or deleted, before and after, in
  /// units from the content's start.
  var interval: Range<Int64>?
  /// The number of items whose length or position was computed.
  var recomputedItems = 0
  /// The previous first columns of items that the edit removed or let choose again, in order.
  var formerColumns: [UInt8] = []
  /// The previous first columns of items that were placed again because the columns were uneven.
  var formerPlacements: [(start: Int, columns: [UInt8])] = []
  /// The previous state of the section's rebalances, if it has changed.
  var formerState: RebalanceState?
  /// The index after the last item that an edit inserted or changed, or before which it deleted
  /// items, if the section's kind keeps columns.
  var editedEnd: Int?
  /// Whether the stored section has changed.
  var hasNewContent = true
  /// Whether columns are computed on demand from the index, and therefore do not count as work.
  var areColumnsComputed = false

  mutating func note(items range: Range<Int>) {
    // Most edits record one range, which needs no search.
    if items.isEmpty { items = RangeSet(range) } else { items.insert(contentsOf: range) }
  }

  mutating func note(interval range: Range<Int64>) {
    interval = interval?.hull(with: range) ?? range
  }
}
