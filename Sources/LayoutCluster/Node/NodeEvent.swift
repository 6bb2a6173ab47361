/// An event that an operator must know of: each is one line of the service's log.
///
/// Events are changes of state: a state that lasts is reported once.
package enum NodeEvent: Hashable, Sendable {
  /// The log no longer has entries that the node has applied. The node loads the dataset again.
  case lostTail(dataset: String, applied: Int, found: Int)
  /// A process that started later has the node's name. Names must differ.
  case nameReplaced
  /// The entries of a dataset cannot be applied; it stays unchanged.
  case quarantined(dataset: String, reason: String)
  /// A dataset cannot be followed for now; the next poll tries again.
  case followingFailed(dataset: String, reason: String)
  /// A dataset is followed again.
  case followingResumed(dataset: String)
}
