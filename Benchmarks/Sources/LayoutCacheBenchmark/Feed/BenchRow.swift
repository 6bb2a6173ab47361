/// One operation's figures at one size, beside its baselines'.
struct BenchRow {
  typealias Beside = (baseline: BenchBaseline, figures: Figures)

  var operation: BenchOperation
  var figures: Figures
  /// The first is the one that the target names.
  var baselines: [Beside] = []
  /// The mean work of a call where the engine counts it, and other numbers, by name.
  var details: [(name: String, value: Double)] = []

  /// The value that the operation's target is about; `nil` without a target.
  var targetValue: Double? {
    operation.target?.value(figures, beside: baselines.first?.figures)
  }

  /// The value whose growth from size to size is looked at.
  var growthValue: Double? {
    switch operation.target?.statistic {
    case .medianRatio where baselines.first?.baseline != .attributeArrays: targetValue
    case .meanRatio: targetValue
    default: figures.median
    }
  }
}
