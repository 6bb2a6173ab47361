/// The target for a figure.
struct BenchTarget {
  enum Statistic: String {
    /// The ratio of the engine's median time to the baseline's.
    case medianRatio
    /// The ratio of the engine's mean time to the baseline's: the times of the whole run.
    case meanRatio
  }

  var statistic: Statistic
  var atMost: Double

  /// The value to compare with the target.
  ///
  /// - Parameter baseline: The figures of the row's first baseline.
  func value(_ figures: Figures, comparedWith baseline: Figures) -> Double? {
    switch statistic {
    case .medianRatio: Self.ratio(figures.median, baseline.median)
    case .meanRatio: Self.ratio(figures.mean, baseline.mean)
    }
  }

  /// - Returns: `nil` if the baseline took no measurable time.
  static func ratio(_ value: Double, _ baseline: Double) -> Double? {
    baseline > 0 ? value / baseline : nil
  }
}
