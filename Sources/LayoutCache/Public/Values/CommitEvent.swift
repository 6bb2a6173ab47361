/// An event for listeners of a dataset's commits.
@nonexhaustive
public enum CommitEvent: Hashable, Sendable {
  /// The next revision: one event for each, in order.
  case commit(Commit)
  /// A gap: commits were not delivered because the log does not contain them, the dataset was
  /// imported again, the listener was too slow, or the pending events of all listeners of the
  /// cache exceeded 64 MiB. The listener must query everything again, at this revision or a
  /// later one; later commits follow.
  case reset(revision: Int, incarnation: Incarnation)
  /// The dataset was removed, renamed, or replaced by another one with the same name. No event
  /// follows.
  case gone
}
