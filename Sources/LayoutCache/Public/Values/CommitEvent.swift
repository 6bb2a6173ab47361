/// An event for listeners of a dataset's commits.
@nonexhaustive
public enum CommitEvent: Hashable, Sendable {
  /// The next revision: one event for each, in order.
  case commit(Commit)
  /// Some commits are not told: the log does not hold them, the dataset was imported again,
  /// the listener has taken its events too slowly, or the events that wait for all listeners
  /// of the cache take more than 64 MiB. The listener has to query everything again, at this
  /// revision or a later one; later commits follow.
  case reset(revision: Int, incarnation: Incarnation)
  /// The dataset was removed or renamed, or is another one under the same name. No event
  /// follows.
  case gone
}
