/// The reason why the newest commit of a dataset can't be undone.
@nonexhaustive
public enum UndoError: Error, Hashable, Sendable {
  /// The commit created the dataset, or is an import that rebuilt it.
  case imported
  /// The file does not contain all previous values: the commit is too old, it removed more than
  /// the log retains, or the dataset was loaded since.
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
