extension KindBenchSize {
  /// The size's figures as a table.
  var text: String {
    var table = Table([
      .text("layout"), .text("operation"), .number("samples"), .number("median us"),
      .number("p99 us"), .number("mean us"), .number("ratio"), .text("work, target"),
    ])
    for row in rows {
      let target = row.targetText.map { [$0] } ?? []
      table.add([
        row.operation == .layOut ? row.layout.title : "", row.operation.title,
        String(row.figures.sampleCount), microseconds(row.figures.median),
        microseconds(row.figures.p99), microseconds(row.figures.mean),
        row.scratchRatio.map(twoDigits) ?? "",
        (target + workTexts(row.details)).joined(separator: "; "),
      ])
    }
    return TextStyle.heading(plural(items, "item")) + "\n" + table.lines + "\n"
  }
}

extension KindBenchRow {
  /// Whether the ratio to laying out from scratch is within its limit; `nil` without a limit.
  fileprivate var meetsTarget: Bool? {
    guard let atMost = operation.scratchRatioMax(of: layout), let scratchRatio else { return nil }
    return scratchRatio <= atMost
  }

  fileprivate var targetText: String? {
    guard let atMost = operation.scratchRatioMax(of: layout), let meetsTarget else { return nil }
    return "\(meetsTarget ? "met" : "missed"): at most \(twoDigits(atMost))"
  }
}

extension KindBenchSize {
  /// The object that `--kinds --json` prints. Times are microseconds.
  static func json(_ sizes: [KindBenchSize]) -> JSONValue {
    .object(Machine.members + [("sizes", .array(sizes.map(\.json)))])
  }

  private var json: JSONValue {
    .object([("items", .integer(items)), ("rows", .array(rows.map(\.json)))])
  }
}

extension KindBenchRow {
  fileprivate var json: JSONValue {
    .object(
      [("layout", .text(layout.rawValue)), ("row", .text(operation.rawValue))] + figures.members + [
        ("scratchRatio", .optional(scratchRatio)),
        ("scratchRatioAtMost", .optional(operation.scratchRatioMax(of: layout))),
        ("met", .optional(meetsTarget)),
        ("details", .object(details.map { ($0.name, .number($0.value)) })),
      ])
  }
}
