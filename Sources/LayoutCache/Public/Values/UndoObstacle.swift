/// Why the newest commit of a dataset can't be taken back.
@nonexhaustive
public enum UndoObstacle: Error, Hashable, Sendable {
  /// It made the dataset, or is an import that built it again.
  case isImport
  /// The file does not hold all that it has changed: it is too old, it took out more than the
  /// log keeps, or the file was compacted since.
  case isNotLogged
}

extension UndoObstacle: CustomStringConvertible {
  public var description: String {
    switch self {
    case .isImport: "it is an import"
    case .isNotLogged: "the file does not hold any more what it has changed"
    }
  }
}
