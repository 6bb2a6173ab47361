/// A baseline for the engine.
enum BenchBaseline: String {
  /// Arrays in memory that only count the visible items.
  case plainArrays
  /// Arrays in memory that return the same answer as the engine.
  case attributeArrays
  /// The same query without the items' data.
  case withoutData
  /// The same changes without rebalancing.
  case withoutRebalancing
  case handWrittenSQL
  /// One new row in a separate transaction, synchronous NORMAL.
  case bareCommit
  /// The same with synchronous FULL.
  case bareCommitFull

  var title: String {
    switch self {
    case .plainArrays: "arrays, count only"
    case .attributeArrays: "arrays, same answer"
    case .withoutData: "without data"
    case .withoutRebalancing: "without rebalancing"
    case .handWrittenSQL: "SQL by hand"
    case .bareCommit: "bare commit"
    case .bareCommitFull: "bare commit, FULL"
    }
  }
}
