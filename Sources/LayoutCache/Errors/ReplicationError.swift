/// The reason that a node cannot apply an entry. The node deletes its copy of the dataset and
/// loads it again.
package enum ReplicationError: Error, Hashable, Sendable {
  /// The node's dataset is not at the position that the entry follows.
  case diverged
  /// The entry does not fit the dataset.
  case doesNotApply(String)
  /// A layout's result begins at a position that the node has passed without laying it out.
  case historyDiverged(LayoutID)
}
