/// The figures of two builds measured alternately, by row.
struct Comparison {
  /// The ratios of one row: the figure of this build to that of the other build, in each round.
  ///
  /// The figure is the time in units of the row's baseline in the same process, such as bare
  /// commits, because the machine's speed drifts.
  struct Row {
    var items: Int
    var row: String
    var baseline: BenchBaseline?
    /// In ascending order; at least one.
    var ratios: [Double]
    /// The medians of the figures over the rounds.
    var other: Double
    var this: Double

    var median: Double { Self.quantile(0.5, of: ratios) }
    var lowerQuartile: Double { Self.quantile(0.25, of: ratios) }
    var upperQuartile: Double { Self.quantile(0.75, of: ratios) }

    /// The result on which the middle half of the rounds agree: "slower", "faster" or neither.
    var verdict: String {
      if lowerQuartile > 1 { return "slower" }
      return upperQuartile < 1 ? "faster" : ""
    }

    /// A quantile of ascending numbers, interpolated linearly.
    static func quantile(_ part: Double, of numbers: [Double]) -> Double {
      let position = part * Double(numbers.count - 1)
      let below = Int(position)
      let above = min(below + 1, numbers.count - 1)
      return numbers[below] + (position - Double(below)) * (numbers[above] - numbers[below])
    }
  }

  private var rounds: [(other: FeedResults, this: FeedResults)] = []

  mutating func add(other: FeedResults, this: FeedResults) { rounds.append((other, this)) }

  /// The rows of both builds, in the order of this build.
  var rows: [Row] {
    guard let first = rounds.first else { return [] }
    return first.this.sizes.flatMap { size in
      size.rows.compactMap { row in comparison(of: row, items: size.items) }
    }
  }

  private func comparison(of row: FeedResults.Row, items: Int) -> Row? {
    guard let operation = row.operation else { return nil }
    var baseline: BenchBaseline?
    var figures: [(other: Double, this: Double)] = []
    for round in rounds {
      guard let other = round.other.row(operation, items: items),
        let this = round.this.row(operation, items: items)
      else { return nil }
      baseline = Self.baseline(of: this, and: other)
      figures.append(
        (Self.figure(of: other, baseline, operation), Self.figure(of: this, baseline, operation)))
    }
    // Without measurable time there is no ratio.
    guard figures.allSatisfy({ $0.other > 0 && $0.this > 0 }) else { return nil }
    return Row(
      items: items, row: operation.title, baseline: baseline,
      ratios: figures.map { $0.this / $0.other }.sorted(),
      other: Row.quantile(0.5, of: figures.map(\.other).sorted()),
      this: Row.quantile(0.5, of: figures.map(\.this).sorted()))
  }

  /// The baseline of both rows: bare commits if both have them.
  private static func baseline(
    of row: FeedResults.Row, and other: FeedResults.Row
  ) -> BenchBaseline? {
    let common = row.baselines.map(\.baseline).filter { name in
      other.baselines.contains { $0.baseline == name }
    }.compactMap { BenchBaseline(rawValue: $0) }
    // Other measurements of the engine are not a baseline.
    let independent = common.filter { ![.withoutRebalancing, .withoutData].contains($0) }
    return independent.first { $0 == .bareCommit } ?? independent.first
  }

  private static func figure(
    of row: FeedResults.Row, _ baseline: BenchBaseline?, _ operation: BenchOperation
  ) -> Double {
    let unit = baseline.flatMap { row.baseline($0) }
    if operation.comparesMeans {
      return row.mean / (unit?.mean ?? 1)
    }
    return row.median / (unit?.median ?? 1)
  }

  /// The table of all rows.
  var text: String {
    var table = Table([
      .number("items"), .text("operation"), .text("unit"), .number("commit"),
      .number("this build"), .number("ratio"), .text("quartiles"), .text(""),
    ])
    for row in rows {
      table.add([
        String(row.items), row.row, row.baseline?.title ?? "us", twoDigits(row.other),
        twoDigits(row.this), threeDecimals(row.median),
        "\(threeDecimals(row.lowerQuartile)) to \(threeDecimals(row.upperQuartile))", row.verdict,
      ])
    }
    return table.lines
  }
}
