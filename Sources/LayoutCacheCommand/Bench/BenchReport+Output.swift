import BenchmarkBaselines
import Foundation

extension BenchReport.Size {
  /// Prints the size's figures as tables.
  func print() throws {
    let style = TextStyle.of()
    var output = StandardOutput()
    try output.writeLine(style.heading(plural(items, "item")))
    var table = Table([
      .text("operation"), .text("beside"), .number("samples"), .number("median us"),
      .number("p99 us"), .number("mean us"), .number("ratio"), .text("work, target"),
    ])
    for row in rows { row.add(to: &table, isJudged: isJudged) }
    try output.write(table.lines(style))
    try output.writeLine(
      """
      file: \(oneDecimal(bytesPerItem)) bytes an item \
      (\(target(bytesPerItem, BenchReport.bytesPerItemMax, isJudged: isJudged))), \
      \(oneDecimal(layoutBytesPerItem)) more with the layout \
      (\(target(layoutBytesPerItem, BenchReport.layoutBytesPerItemMax, isJudged: isJudged))), \
      \(oneDecimal(changedBytesPerItem)) after the changes
      """)
    if !memory.isEmpty {
      let phases = memory.map { phase, memory in
        "\(phase) \(memory.peakBytes / 1_000_000) MB (from \(memory.startBytes / 1_000_000))"
      }
      try output.writeLine(
        """
        peak memory: \(phases.joined(separator: ", ")), of which plain arrays are \
        \(plainArraysBytes / 1_000_000)
        """)
    }
    try output.writeLine("")
    try output.flush()
  }
}

extension BenchRow {
  /// Adds the operation's line, and one for each baseline with the ratio to it.
  fileprivate func add(to table: inout Table, isJudged: Bool) {
    let targetText = targetText(isJudged: isJudged)
    let isAbsolute = operation.target?.statistic == .median
    table.add([
      operation.title, "", String(figures.sampleCount), microseconds(figures.median),
      microseconds(figures.p99), microseconds(figures.mean), "",
      ((isAbsolute ? [targetText] : []) + workTexts(details)).joined(separator: "; "),
    ])
    for (index, beside) in baselines.enumerated() {
      let ratio =
        operation.comparesMeans
        ? BenchTarget.ratio(figures.mean, beside.figures.mean)
        : BenchTarget.ratio(figures.median, beside.figures.median)
      table.add([
        "", beside.baseline.title, String(beside.figures.sampleCount),
        microseconds(beside.figures.median), microseconds(beside.figures.p99),
        microseconds(beside.figures.mean), ratio.map(twoDigits) ?? "",
        index == 0 && !isAbsolute ? targetText : "",
      ])
    }
  }

  private func targetText(isJudged: Bool) -> String {
    guard let wanted = operation.target, let value = targetValue else { return "" }
    let of =
      switch wanted.statistic {
      case .medianRatio: ""
      case .meanRatio: " of the means"
      case .median: " us"
      }
    return target(value, wanted.atMost, isJudged: isJudged) + of
  }
}

extension BenchReport {
  /// Prints what concerns all sizes.
  func printSummary() throws {
    var output = StandardOutput()
    if !growth.isEmpty, let least = sizes.map(\.items).min(), let most = sizes.map(\.items).max() {
      var table = Table([
        .text("growth from \(least) to \(most) items"), .number("factor"), .text("target"),
      ])
      for growth in growth {
        guard let atMost = growth.operation.growthMax else { continue }
        table.add([
          growth.operation.title, twoDigits(growth.factor),
          target(growth.factor, atMost, isJudged: true),
        ])
      }
      try output.write(table.lines(.of()))
      try output.writeLine("")
    }
    try output.writeLine(TextStyle.of().note(Self.machine))
    try output.flush()
  }

  /// What the figures depend on beside the program.
  static var machine: String {
    let processors = plural(ProcessInfo.processInfo.activeProcessorCount, "processor")
    let build = isOptimized ? "" : "; a debug build, whose figures mean nothing"
    return "\(processors), SQLite \(sqliteVersion)\(build)"
  }

  /// Whether the compiler has optimized this program.
  static var isOptimized: Bool {
    #if DEBUG
      false
    #else
      true
    #endif
  }
}

/// Details by name, as "22.3 nodes visited".
func workTexts(_ details: [(name: String, value: Double)]) -> [String] {
  details.map { detail in
    let words = detail.name.reduce(into: "") { words, character in
      if character.isUppercase { words += " " }
      words += character.lowercased()
    }
    return "\(oneDecimal(detail.value)) \(words)"
  }
}

/// What a target is, and whether a value reaches it, where that is judged.
private func target(_ value: Double, _ atMost: Double, isJudged: Bool) -> String {
  let target = "at most \(twoDigits(atMost))"
  return isJudged ? "\(value <= atMost ? "met" : "missed"): \(target)" : target
}

/// A number of microseconds with two decimals, and none from 1,000 on.
func microseconds(_ value: Double) -> String {
  value >= 1000 ? String(Int(value.rounded())) : String(format: "%.2f", value)
}

/// A number with two decimals, and none from 100 on.
func twoDigits(_ value: Double) -> String {
  value >= 100
    ? String(Int(value.rounded())) : String(format: value < 0.01 ? "%.5f" : "%.2f", value)
}
