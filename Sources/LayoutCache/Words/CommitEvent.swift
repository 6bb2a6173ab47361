/// What a listener of a dataset's commits is told.
@nonexhaustive
public enum CommitEvent: Hashable, Sendable {
  /// The next revision: one event for each, in order.
  case commit(Commit)
  /// Some commits are not told: the log does not hold them, the dataset was loaded anew, or
  /// the listener has taken its events too slowly. It has to ask for everything anew, at this revision or a later one;
  /// commits behind it follow.
  case reset(revision: Int, incarnation: String)
  /// The dataset was removed or renamed, or is another one under the same name. No event
  /// follows.
  case gone
}
