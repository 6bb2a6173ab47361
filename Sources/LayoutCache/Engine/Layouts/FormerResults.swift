import SumTree

/// A layout's results as they were before its newest commit: what an undo of that commit takes
/// columns from.
///
/// Where items of a stable waterfall stand does not follow from the items, so carrying the
/// inverse operations out would give them columns of today. All else follows, and need not be
/// up to date here.
struct FormerResults: Sendable {
  var results: SumTree<SectionResultLeaf>
  /// The sections in which the commit has placed items again, by their index after it: all
  /// others differ by no more than its operations say. The hunks' new ranges hold those items.
  var placedAnew: [Int: ChangedSection] = [:]
}

/// The changes of a section's items.
struct ChangedSection: Sendable {
  var key: String
  var changes: ItemHunks
}
