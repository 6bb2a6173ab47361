/// One edit of a section's list of items.
enum ItemEdit {
  /// Items come to be before the one at an index.
  case insert(ItemLeaf, at: Int)
  /// The items of a range go.
  case delete(Range<Int>)
  /// The items from an index on become those of the leaf.
  case change(ItemLeaf, at: Int)
  /// The items from one on are placed again: so many now, and the others later.
  case rebalance(from: Int, placing: Int)

  /// The items that give way to others.
  var range: Range<Int> {
    switch self {
    case .insert(_, let index), .rebalance(let index, _): index..<index
    case .delete(let range): range
    case .change(let run, let index): index..<(index + run.count)
    }
  }

  /// How many come in their place.
  var newCount: Int {
    switch self {
    case .insert(let run, _), .change(let run, _): run.count
    case .delete, .rebalance: 0
    }
  }
}
