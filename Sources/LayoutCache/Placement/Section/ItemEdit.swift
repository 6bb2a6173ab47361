/// An edit of a section's list of items.
enum ItemEdit {
  /// Inserts items before the one at an index.
  case insert(ItemLeaf, at: Int)
  /// Deletes a range of items.
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
