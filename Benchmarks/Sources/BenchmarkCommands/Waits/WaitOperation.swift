/// The long work during which the small dataset's writer is measured. The names are those of
/// the JSON rows.
enum WaitOperation: String, CaseIterable {
  /// No work: the time of a commit itself.
  case idle
  case layOut
  case catchUpStable
  case catchUpFlow
  case reconfigure
  case rebalance
  case resizes
  case replace
  case compact
  case remove

  /// The longest permitted wait for another dataset's work, in microseconds.
  static let longestMax = 50_000.0

  var title: String {
    switch self {
    case .idle: "nothing"
    case .layOut: "lay out from scratch"
    case .catchUpStable: "catch up, stable waterfall"
    case .catchUpFlow: "catch up, flow"
    case .reconfigure: "lay out with other columns"
    case .rebalance: "rebalance"
    case .resizes: "resize at random positions"
    case .replace: "import, replacing all items"
    case .compact: "compact"
    case .remove: "remove the dataset"
    }
  }
}

/// The writer's waits during one operation.
struct WaitRow {
  var operation: WaitOperation
  var location: WriterLocation
  /// The times of the writer's commits.
  var waits: Figures
  /// The times of the work, for each repetition.
  var work: Figures
  /// The start of the longest wait as a fraction of the work's time: more than 1 if after its
  /// end.
  var longestAt: Double

  var meetsTarget: Bool { waits.longest <= WaitOperation.longestMax }
}

/// The measurements of `waits` at one size.
struct WaitSize {
  var items: Int
  /// The number of operations with which a layout catches up.
  var operations: Int
  /// The number of resizes at random positions.
  var edits: Int
  var rows: [WaitRow] = []

  /// Whether the figures are checked against the target.
  var isJudged: Bool { items >= BenchReport.targetItems }
}
