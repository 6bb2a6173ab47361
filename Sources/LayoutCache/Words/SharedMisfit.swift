/// Why a node can't carry an entry out. It throws what it has of the dataset away.
package enum SharedMisfit: Error, Hashable, Sendable {
  /// The node's dataset does not stand where the entry goes on.
  case isElsewhere
  /// The entry does not fit the dataset.
  case doesNotApply(String)
  /// A layout's result begins at a place that the node has passed without laying it out.
  case historyIsElsewhere(LayoutID)
}
