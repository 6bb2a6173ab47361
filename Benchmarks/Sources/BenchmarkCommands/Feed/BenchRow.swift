/// One operation's figures at one size, and those of its baselines.
struct BenchRow {
  typealias BaselineFigures = (baseline: BenchBaseline, figures: Figures)

  var operation: BenchOperation
  var figures: Figures
  /// The target is relative to the first.
  var baselines: [BaselineFigures] = []
  /// Numbers by name, such as the mean work of a call, if the engine counts it.
  var details: [(name: String, value: Double)] = []

  /// The value compared with the operation's target; `nil` without a target.
  var targetValue: Double? {
    baselines.first.flatMap { operation.target?.value(figures, comparedWith: $0.figures) }
  }

  /// The value whose growth from size to size is checked.
  var growthValue: Double? {
    baselines.first?.baseline == .bareCommit ? targetValue : figures.median
  }
}
