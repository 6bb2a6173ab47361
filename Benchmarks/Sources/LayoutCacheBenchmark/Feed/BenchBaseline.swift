/// A baseline that the engine is compared with.
enum BenchBaseline: String {
  /// Arrays in memory that only count what is visible.
  case plainArrays
  /// Arrays in memory that give the same answer as the engine.
  case attributeArrays
  /// The same query without its items' data.
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
    case .plainArrays: "arrays that count"
    case .attributeArrays: "arrays, same answer"
    case .withoutData: "without data"
    case .withoutRebalancing: "without it"
    case .handWrittenSQL: "SQL by hand"
    case .bareCommit: "bare commit"
    case .bareCommitFull: "bare commit, FULL"
    }
  }
}
