/// The statistics of samples of one operation's time, in microseconds.
struct Figures {
  var sampleCount: Int
  var median: Double
  /// The 99th percentile.
  var p99: Double
  var mean: Double
  var longest: Double

  /// - Parameters:
  ///   - nanoseconds: The samples; at least one.
  ///   - extra: The total shared cost of all samples, in addition to their own times.
  init(_ nanoseconds: [Int64], sharing extra: Int64 = 0) {
    let sorted = nanoseconds.sorted()
    sampleCount = sorted.count
    median = Double(sorted[sorted.count / 2]) / 1000
    p99 = Double(sorted[(sorted.count * 99 + 99) / 100 - 1]) / 1000
    longest = Double(sorted[sorted.count - 1]) / 1000
    mean = Double(sorted.reduce(extra, +)) / 1000 / Double(sorted.count)
  }
}
