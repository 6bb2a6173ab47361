/// One operation's figures at one size, with its baselines'.
struct BenchRow {
  typealias Beside = (baseline: BenchBaseline, figures: Figures)

  var operation: BenchOperation
  var figures: Figures
  /// The first is the target's baseline.
  var baselines: [Beside] = []
  /// The mean work of a call if the engine counts it, and other numbers, by name.
  var details: [(name: String, value: Double)] = []

  /// The value compared with the operation's target; `nil` without a target.
  var targetValue: Double? {
    baselines.first.flatMap { operation.target?.value(figures, beside: $0.figures) }
  }

  /// The value whose growth from size to size is checked.
  var growthValue: Double? {
    baselines.first?.baseline == .bareCommit ? targetValue : figures.median
  }
}
