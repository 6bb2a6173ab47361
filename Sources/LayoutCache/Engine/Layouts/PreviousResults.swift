import SumTree

/// A layout's results before its newest commit, from which an undo of that commit restores
/// columns.
///
/// The columns of items in a stable waterfall do not follow from the items, so applying the
/// inverse operations would choose new columns. Everything else follows from the items and need
/// not be up to date here.
struct PreviousResults: Sendable {
  var results: SumTree<SectionResultLeaf>
  /// The sections in which the commit placed items again, by their index after it. All other
  /// sections differ only by the commit's operations. The hunks' new ranges contain those items.
  var replaced: [Int: ChangedSection] = [:]
}

/// The changes of a section's items.
struct ChangedSection: Sendable {
  var key: String
  var changes: ItemHunks
}
