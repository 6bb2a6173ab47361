extension BenchReport.Size {
  /// The size's figures as tables.
  var text: String {
    var text = TextStyle.heading(plural(items, "item")) + "\n"
    var table = Table([
      .text("operation"), .text("baseline"), .number("samples"), .number("median us"),
      .number("p99 us"), .number("mean us"), .number("longest us"), .number("ratio"),
      .text("work, target"),
    ])
    for row in rows { row.add(to: &table, isJudged: isJudged) }
    text += table.lines
    text +=
      """
      file: \(oneDecimal(bytesPerItem)) bytes per item \
      (\(target(bytesPerItem, BenchReport.bytesPerItemMax, isJudged: isJudged))), \
      \(oneDecimal(layoutBytesPerItem)) more with the layout \
      (\(target(layoutBytesPerItem, BenchReport.layoutBytesPerItemMax, isJudged: isJudged))), \
      \(oneDecimal(editedBytesPerItem)) after the resizes \
      (\(target(editedBytesPerItem, BenchReport.editedBytesPerItemMax, isJudged: isJudged))), \
      \(oneDecimal(changedBytesPerItem)) after all changes

      """
    if !memory.isEmpty {
      let phases = memory.map { phase, memory in
        "\(phase) \(memory.peakBytes / 1_000_000) MB (from \(memory.startBytes / 1_000_000))"
      }
      text +=
        """
        peak memory: \(phases.joined(separator: ", ")), including \
        \(plainArraysBytes / 1_000_000) MB of plain arrays

        """
    }
    return text + "\n"
  }
}

extension BenchRow {
  /// Adds the operation's line, and a line for each baseline, with the ratio to it.
  fileprivate func add(to table: inout Table, isJudged: Bool) {
    table.add([
      operation.title, "", String(figures.sampleCount), microseconds(figures.median),
      microseconds(figures.p99), microseconds(figures.mean),
      microseconds(figures.longest), "", workTexts(details).joined(separator: "; "),
    ])
    for (index, other) in baselines.enumerated() {
      let ratio =
        operation.comparesMeans
        ? BenchTarget.ratio(figures.mean, other.figures.mean)
        : BenchTarget.ratio(figures.median, other.figures.median)
      table.add([
        "", other.baseline.title, String(other.figures.sampleCount),
        microseconds(other.figures.median), microseconds(other.figures.p99),
        microseconds(other.figures.mean), microseconds(other.figures.longest),
        ratio.map(twoDigits) ?? "",
        index == 0 ? targetText(isJudged: isJudged) : "",
      ])
    }
  }

  private func targetText(isJudged: Bool) -> String {
    guard let limit = operation.target, let value = targetValue else { return "" }
    let suffix = limit.statistic == .meanRatio ? " of the means" : ""
    return target(value, limit.atMost, isJudged: isJudged) + suffix
  }
}

extension BenchReport {
  /// The summary of all sizes.
  var summary: String {
    var text = ""
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
      text += table.lines + "\n"
    }
    return text + TextStyle.note(Machine.text) + "\n"
  }
}

/// The text for a target, and for the result if the value is compared with it.
private func target(_ value: Double, _ atMost: Double, isJudged: Bool) -> String {
  let target = "at most \(twoDigits(atMost))"
  return isJudged ? "\(value <= atMost ? "met" : "missed"): \(target)" : target
}
