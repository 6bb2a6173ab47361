import LayoutGeometry

extension BenchReport {
  /// The object that `--json` prints. Times are microseconds.
  var json: JSONValue {
    .object(
      Machine.members + [
        ("edits", .integer(edits)),
        ("sizes", .array(sizes.map(\.json))),
        ("growth", .array(growth.map(\.json))),
      ])
  }
}

extension BenchReport.Growth {
  fileprivate var json: JSONValue {
    .object([
      ("row", .text(operation.rawValue)), ("factor", .number(factor)),
      ("atMost", .optional(operation.growthMax)),
    ])
  }
}

extension BenchReport.Size {
  fileprivate var json: JSONValue {
    .object([
      ("items", .integer(items)),
      ("rows", .array(rows.map { $0.json(isJudged: isJudged) })),
      (
        "file",
        .object([
          ("bytes", .integer(importedBytes)),
          ("bytesPerItem", .number(bytesPerItem)),
          ("bytesPerItemAtMost", .number(BenchReport.bytesPerItemMax)),
          ("layoutBytesPerItem", .number(layoutBytesPerItem)),
          ("layoutBytesPerItemAtMost", .number(BenchReport.layoutBytesPerItemMax)),
          ("editedBytesPerItem", .number(editedBytesPerItem)),
          ("editedBytesPerItemAtMost", .number(BenchReport.editedBytesPerItemMax)),
          ("changedBytesPerItem", .number(changedBytesPerItem)),
        ])
      ),
      (
        "memory",
        .object(
          [("plainArraysBytes", .integer(plainArraysBytes))]
            + memory.map { phase, memory in (phase, memory.json) })
      ),
    ])
  }
}

extension BenchReport.Memory {
  fileprivate var json: JSONValue {
    .object([("startBytes", .integer(startBytes)), ("peakBytes", .integer(peakBytes))])
  }
}

extension BenchRow {
  fileprivate func json(isJudged: Bool) -> JSONValue {
    .object(
      [("row", .text(operation.rawValue))] + figures.members + [
        ("baselines", .array(baselines.map(baselineJSON))),
        ("target", targetJSON(isJudged: isJudged)),
        ("details", .object(details.map { ($0.name, .number($0.value)) })),
      ])
  }

  private func baselineJSON(_ other: BaselineFigures) -> JSONValue {
    .object(
      [("baseline", .text(other.baseline.rawValue))] + other.figures.members + [
        ("medianRatio", .optional(BenchTarget.ratio(figures.median, other.figures.median))),
        ("meanRatio", .optional(BenchTarget.ratio(figures.mean, other.figures.mean))),
      ])
  }

  private func targetJSON(isJudged: Bool) -> JSONValue {
    guard let target = operation.target, let value = targetValue else { return .null }
    return .object([
      ("of", .text(target.statistic.rawValue)), ("value", .number(value)),
      ("atMost", .number(target.atMost)),
      ("met", .optional(isJudged ? value <= target.atMost : nil)),
    ])
  }
}

extension Figures {
  /// As members of a row.
  var members: [(name: String, value: JSONValue)] {
    [
      ("samples", .integer(sampleCount)), ("median", .number(median)), ("p99", .number(p99)),
      ("mean", .number(mean)), ("longest", .number(longest)),
    ]
  }
}
