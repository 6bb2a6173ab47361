import BenchmarkBaselines
import Foundation
import LayoutGeometry
import TextFormats

extension KindBenchSize {
  /// Prints the size's figures as a table.
  func print() throws {
    let style = TextStyle.of()
    var output = StandardOutput()
    try output.writeLine(style.heading(plural(items, "item")))
    var table = Table([
      .text("layout"), .text("operation"), .number("samples"), .number("median us"),
      .number("p99 us"), .number("mean us"), .number("to scratch"), .text("work, target"),
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
    try output.write(table.lines(style))
    try output.writeLine("")
    try output.flush()
  }
}

extension KindBenchRow {
  /// Whether the ratio to laying out from scratch is what it may be; `nil` where
  /// nothing is asked.
  fileprivate var meetsTarget: Bool? {
    guard let atMost = operation.scratchRatioMax(of: layout), let scratchRatio else { return nil }
    return scratchRatio <= atMost
  }

  fileprivate var targetText: String? {
    guard let atMost = operation.scratchRatioMax(of: layout), let meetsTarget else { return nil }
    return "\(meetsTarget ? "met" : "missed"): at most \(twoDigits(atMost)) of it"
  }
}

extension JSONWriter {
  /// Appends the object that `bench --kinds --json` prints. Times are microseconds.
  mutating func value(_ sizes: [KindBenchSize]) {
    beginObject()
    member("processors", ProcessInfo.processInfo.activeProcessorCount)
    member("sqlite", sqliteVersion)
    member("optimized", BenchReport.isOptimized)
    member("columns", BenchFeed.columns)
    member("containerSide", BenchFeed.side.points)
    member("sizes", of: sizes) { json, size in
      json.beginObject()
      json.member("items", size.items)
      json.member("rows", of: size.rows) { json, row in json.value(row) }
      json.endObject()
    }
    endObject()
  }

  private mutating func value(_ row: KindBenchRow) {
    beginObject()
    member("layout", row.layout.rawValue)
    member("row", row.operation.rawValue)
    members(of: row.figures)
    nullableMember("scratchRatio", row.scratchRatio)
    nullableMember("scratchRatioAtMost", row.operation.scratchRatioMax(of: row.layout))
    member("met")
    if let met = row.meetsTarget { value(met) } else { null() }
    member("details")
    beginObject()
    for (name, value) in row.details { member(name, value) }
    endObject()
    endObject()
  }
}
