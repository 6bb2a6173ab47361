import BenchmarkBaselines
import Foundation
import LayoutGeometry
import TextFormats

extension JSONWriter {
  /// Appends the object that `bench --json` prints. Times are microseconds.
  mutating func value(_ report: BenchReport) {
    beginObject()
    member("processors", ProcessInfo.processInfo.activeProcessorCount)
    member("sqlite", sqliteVersion)
    member("optimized", BenchReport.isOptimized)
    member("columns", BenchFeed.columns)
    member("containerSide", BenchFeed.side.points)
    member("edits", report.edits)
    member("sizes", of: report.sizes) { json, size in json.value(size) }
    member("growth", of: report.growth) { json, growth in
      json.beginObject()
      json.member("row", growth.operation.rawValue)
      json.member("factor", growth.factor)
      json.nullableMember("atMost", growth.operation.growthMax)
      json.endObject()
    }
    endObject()
  }

  private mutating func value(_ size: BenchReport.Size) {
    beginObject()
    member("items", size.items)
    member("rows", of: size.rows) { json, row in json.value(row, isJudged: size.isJudged) }
    member("file")
    beginObject()
    member("bytes", size.importedBytes)
    member("bytesPerItem", size.bytesPerItem)
    member("bytesPerItemAtMost", BenchReport.bytesPerItemMax)
    member("layoutBytesPerItem", size.layoutBytesPerItem)
    member("layoutBytesPerItemAtMost", BenchReport.layoutBytesPerItemMax)
    member("changedBytesPerItem", size.changedBytesPerItem)
    endObject()
    member("memory")
    beginObject()
    member("plainArraysBytes", size.plainArraysBytes)
    for (phase, memory) in size.memory {
      member(phase)
      beginObject()
      member("startBytes", memory.startBytes)
      member("peakBytes", memory.peakBytes)
      endObject()
    }
    endObject()
    endObject()
  }

  private mutating func value(_ row: BenchRow, isJudged: Bool) {
    beginObject()
    member("row", row.operation.rawValue)
    members(of: row.figures)
    member("baselines", of: row.baselines) { json, beside in
      json.beginObject()
      json.member("baseline", beside.baseline.rawValue)
      json.members(of: beside.figures)
      json.nullableMember(
        "medianRatio", BenchTarget.ratio(row.figures.median, beside.figures.median))
      json.nullableMember("meanRatio", BenchTarget.ratio(row.figures.mean, beside.figures.mean))
      json.endObject()
    }
    member("target")
    if let target = row.operation.target, let value = row.targetValue {
      beginObject()
      member("of", target.statistic.rawValue)
      member("value", value)
      member("atMost", target.atMost)
      member("met")
      if isJudged { self.value(value <= target.atMost) } else { null() }
      endObject()
    } else {
      null()
    }
    member("details")
    beginObject()
    for (name, value) in row.details { member(name, value) }
    endObject()
    endObject()
  }

  /// Appends the members of some figures.
  mutating func members(of figures: Figures) {
    member("samples", figures.sampleCount)
    member("median", figures.median)
    member("p99", figures.p99)
    member("mean", figures.mean)
  }
}
