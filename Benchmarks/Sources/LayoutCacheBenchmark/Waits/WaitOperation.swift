/// The long work during which the small dataset's writer is measured. The names are those of
/// the JSON rows.
enum WaitOperation: String, CaseIterable {
  /// No work: the time of a commit alone.
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

  /// The longest that a writer may wait for another dataset's work, in microseconds.
  static let longestMax = 50_000.0

  var title: String {
    switch self {
    case .idle: "nothing"
    case .layOut: "lay out from scratch"
    case .catchUpStable: "catch up, stable waterfall"
    case .catchUpFlow: "catch up, flow"
    case .reconfigure: "lay out with other columns"
    case .rebalance: "rebalance"
    case .resizes: "resize at random places"
    case .replace: "import, replacing all items"
    case .compact: "compact"
    case .remove: "remove the dataset"
    }
  }
}

/// The writer's waits during one piece of work.
struct WaitRow {
  var operation: WaitOperation
  var place: WriterPlace
  /// The times of its commits.
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
  /// The operations that a layout catches up with.
  var operations: Int
  /// The resizes at random places.
  var edits: Int
  var rows: [WaitRow] = []

  /// Whether the figures are checked against the target.
  var isJudged: Bool { items >= BenchReport.targetItems }
}
