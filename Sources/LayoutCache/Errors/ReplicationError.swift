/// The reason that a node cannot apply an entry or load an archive. The node deletes its copy of the
/// dataset and loads it again.
package enum ReplicationError: Error, Hashable, Sendable {
  /// The node's dataset is not at the position that the entry follows.
  case diverged
  /// The entry does not fit the dataset.
  case doesNotApply(String)
  /// A layout's result begins at a position that the node has passed without laying it out.
  case historyDiverged(LayoutID)
  /// The log does not record the position at which a layout's result begins.
  case historyNotRecorded
  /// Bytes are not an archive, not one of this version, or contradict one another or the file.
  /// Nothing is changed then.
  case unreadableArchive(String)
}

extension ReplicationError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .diverged: "the dataset is at another position"
    case .doesNotApply(let reason), .unreadableArchive(let reason): reason
    case .historyDiverged(let layout): "\(layout) begins at another position"
    case .historyNotRecorded: "the log has no position for the layout's result"
    }
  }
}
