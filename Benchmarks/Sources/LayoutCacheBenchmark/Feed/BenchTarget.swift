/// What a figure has to reach.
struct BenchTarget {
  enum Statistic: String {
    /// The engine's median time beside the baseline's.
    case medianRatio
    /// The engine's mean time beside the baseline's: what a whole run takes.
    case meanRatio
    /// The median time in microseconds.
    case median
  }

  var statistic: Statistic
  var atMost: Double

  /// The value to hold to the target.
  ///
  /// - Parameter baseline: The first of the row's; unused for an absolute target.
  func value(_ figures: Figures, beside baseline: Figures?) -> Double? {
    switch statistic {
    case .median: figures.median
    case .medianRatio: baseline.flatMap { Self.ratio(figures.median, $0.median) }
    case .meanRatio: baseline.flatMap { Self.ratio(figures.mean, $0.mean) }
    }
  }

  /// - Returns: `nil` where the baseline took no time that the clock can tell.
  static func ratio(_ value: Double, _ baseline: Double) -> Double? {
    baseline > 0 ? value / baseline : nil
  }
}
