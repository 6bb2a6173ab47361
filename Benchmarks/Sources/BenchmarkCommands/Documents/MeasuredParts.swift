/// The parts of docs/BENCHMARKS.md that are generated from the figures of a feed.
struct MeasuredParts {
  static let document = "docs/BENCHMARKS.md"
  /// The sizes of the document's columns.
  static let sizes = [10_000, 1_000_000, 10_000_000]

  private let results: FeedResults
  private let counts: [Int]

  init(_ results: FeedResults) {
    self.results = results
    counts = results.sizes.map(\.items).sorted()
  }

  /// The parts by name.
  var parts: [(name: String, text: String)] {
    [
      ("sql", origin + sqlTable), ("queries", origin + queryTable), ("edits", origin + editTable),
      ("rebalancing", origin + rebalancingTable), ("growth", growthTable),
      ("files", origin + fileTable),
    ]
  }

  /// The line that names the command, the commit and the machine.
  private var origin: String {
    let machine = [
      results.processor, results.processors.map { plural($0, "processor") },
      results.memoryBytes.map { "\(($0 + 1 << 29) >> 30) GiB" },
      results.swift.map { "Swift \($0)" }, results.sqlite.map { "SQLite \($0)" },
    ].compactMap { $0 }
    let date = results.date.map { "\($0), " } ?? ""
    let commit = results.commit.map { "commit \($0), " } ?? ""
    return "\(date)\(commit)`make bench ARGS=document`; \(machine.joined(separator: ", ")).\n\n"
  }

  /// The size at which figures are compared with targets.
  private var judged: Int { counts.last { $0 <= BenchReport.targetItems } ?? counts.first ?? 0 }

  private var sqlTable: String {
    let rows: [BenchOperation] = [
      .visibleRect, .resizeMiddle, .openAndFirstQuery, .importAndLayOut,
    ]
    var table = MarkdownTable(["operation", "LayoutCache", "table with an index", "ratio"])
    for operation in rows {
      guard let row = results.row(operation, items: judged),
        let sql = row.baseline(.handWrittenSQL)
      else { continue }
      table.add([
        operation.title, "\(microseconds(row.median)) us", "\(microseconds(sql.median)) us",
        twoDigits(row.median / sql.median),
      ])
    }
    return "\(plural(judged, "item")), medians.\n\n" + table.text
  }

  private var queryTable: String {
    table(
      "query", of: [.visibleRect, .visibleRectScrolling, .visibleRectKept, .visibleRectRead],
      in: .attributeArrays)
      + "\n"
      + table("query", of: [.firstQuery, .openAndFirstQuery], in: .handWrittenSQL)
  }

  private var editTable: String {
    table(
      "edit",
      of: [
        .insertFresh, .deleteFresh, .insertRandom, .deleteRandom, .resizeRandom, .resizeMiddle,
        .prepend40, .deleteTop40, .moveRandom, .moveToSection, .moveBack, .resizeMany,
        .resizeManyCold, .firstResize,
      ], in: .bareCommit) + "\n" + table("edit", of: [.resizeMiddleFull], in: .bareCommitFull)
  }

  private var rebalancingTable: String {
    var table = MarkdownTable(
      ["items", "", "median us", "p99 us", "mean us", "ratio of the means"])
    for items in counts {
      guard let row = results.row(.resizeManyRebalancing, items: items),
        let without = results.row(.resizeMany, items: items)
      else { continue }
      table.add([
        grouped(items), "without rebalancing", microseconds(without.median),
        microseconds(without.p99), microseconds(without.mean), "",
      ])
      let ratio = row.mean / without.mean
      table.add([
        "", "default", microseconds(row.median), microseconds(row.p99),
        microseconds(row.mean),
        twoDigits(ratio) + verdict(ratio, BenchOperation.resizeManyRebalancing.target?.atMost),
      ])
    }
    return table.text
  }

  /// Growth from the smallest size to the largest.
  private var growthTable: String {
    guard let least = counts.first, let most = counts.last, least < most else { return "" }
    var table = MarkdownTable(
      ["from \(grouped(least)) to \(grouped(most)) items", "factor", "target"])
    for operation in BenchOperation.allCases {
      guard let limit = operation.growthMax,
        let before = growthValue(operation, items: least),
        let after = growthValue(operation, items: most)
      else { continue }
      let factor = after / before
      table.add([operation.title, twoDigits(factor), twoDigits(limit) + verdict(factor, limit)])
    }
    return table.text
  }

  private func growthValue(_ operation: BenchOperation, items: Int) -> Double? {
    results.row(operation, items: items).map { row in
      guard let bare = row.baseline(.bareCommit) else { return row.median }
      return operation.comparesMeans ? row.mean / bare.mean : row.median / bare.median
    }
  }

  private var fileTable: String {
    var table = MarkdownTable(
      ["items", "bytes per item", "added by a layout", "after the resizes, with the layout"])
    for size in results.sizes {
      table.add([
        grouped(size.items), oneDecimal(size.file.bytesPerItem),
        oneDecimal(size.file.layoutBytesPerItem), oneDecimal(size.file.editedBytesPerItem),
      ])
    }
    table.add([
      "target", twoDigits(BenchReport.bytesPerItemMax),
      twoDigits(BenchReport.layoutBytesPerItemMax), twoDigits(BenchReport.editedBytesPerItemMax),
    ])
    return table.text
  }

  /// A table with a row for each operation and a column for each size.
  private func table(
    _ noun: String, of operations: [BenchOperation], in baseline: BenchBaseline
  ) -> String {
    var table = MarkdownTable(
      ["\(noun), us (in \(baseline.title))"] + counts.map(grouped)
        + ["target at \(grouped(BenchReport.targetItems))"])
    for operation in operations {
      let cells = counts.map { items -> String in
        guard let row = results.row(operation, items: items) else { return "" }
        let isMean = operation.comparesMeans
        let time = microseconds(isMean ? row.mean : row.median)
        guard let unit = row.baseline(baseline) else { return time }
        return time + " (\(twoDigits(isMean ? row.mean / unit.mean : row.median / unit.median)))"
      }
      table.add([operation.title] + cells + [target(of: operation, in: baseline)])
    }
    return table.text
  }

  private func target(of operation: BenchOperation, in baseline: BenchBaseline) -> String {
    guard let target = operation.target else { return "" }
    let row = results.row(operation, items: BenchReport.targetItems)
    guard let row, let unit = row.baseline(baseline) else { return twoDigits(target.atMost) }
    let value =
      target.statistic == .meanRatio ? row.mean / unit.mean : row.median / unit.median
    return twoDigits(target.atMost) + verdict(value, target.atMost)
  }

  private func verdict(_ value: Double, _ atMost: Double?) -> String {
    atMost.map { value <= $0 ? ": met" : ": missed" } ?? ""
  }

  /// A count with commas: "1,000,000".
  private func grouped(_ count: Int) -> String {
    var digits = String(count)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }
}

/// A table as Markdown.
struct MarkdownTable {
  private(set) var text: String

  init(_ headings: [String]) {
    text = "| \(headings.joined(separator: " | ")) |\n"
    text += "|\(String(repeating: " --- |", count: headings.count))\n"
  }

  mutating func add(_ cells: [String]) { text += "| \(cells.joined(separator: " | ")) |\n" }
}
