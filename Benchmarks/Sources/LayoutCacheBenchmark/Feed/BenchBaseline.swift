/// What the engine is measured beside.
enum BenchBaseline: String {
  /// Arrays in memory that only count what is visible.
  case plainArrays
  /// Arrays in memory that make the same answer as the engine.
  case attributeArrays
  /// The same query without what its items carry.
  case withoutData
  case handWrittenSQL
  /// One fresh row in a transaction of its own, synchronous NORMAL.
  case bareCommit
  /// The same with synchronous FULL.
  case bareCommitFull

  var title: String {
    switch self {
    case .plainArrays: "arrays that count"
    case .attributeArrays: "arrays, same answer"
    case .withoutData: "without data"
    case .handWrittenSQL: "SQL by hand"
    case .bareCommit: "bare commit"
    case .bareCommitFull: "bare commit, FULL"
    }
  }
}
