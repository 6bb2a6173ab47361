/// The reason why the newest commit of a dataset can't be undone.
@nonexhaustive
public enum UndoError: Error, Hashable, Sendable {
  /// The commit created the dataset, or is an import that rebuilt it.
  case imported
  /// The file does not contain all previous values: the commit is too old, it removed more than
  /// the log retains, the file was compacted since, or a layout's container has changed since and
  /// the commit dropped lengths that were measured before.
  case notLogged
}

extension UndoError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .imported: "it is an import"
    case .notLogged: "the database no longer has the previous values"
    }
  }
}
