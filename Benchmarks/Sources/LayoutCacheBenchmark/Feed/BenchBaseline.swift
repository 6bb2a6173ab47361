/// What the engine is measured beside.
enum BenchBaseline: String {
  case plainArrays
  case handWrittenSQL
  /// One fresh row in a transaction of its own, synchronous NORMAL.
  case bareCommit
  /// The same with synchronous FULL.
  case bareCommitFull

  var title: String {
    switch self {
    case .plainArrays: "plain arrays"
    case .handWrittenSQL: "SQL by hand"
    case .bareCommit: "bare commit"
    case .bareCommitFull: "bare commit, FULL"
    }
  }
}
