import ArgumentParser
import LayoutCache
import LayoutGeometry
import TextFormats

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Print the contents and size of the database, a dataset or a layout",
    discussion: """
      Without --dataset it prints the file and one row per dataset. With --dataset it reads all \
      items, and prints the dataset's trees and its layouts, each with its number of measured \
      lengths. With --layout it also prints that layout's sections, and the column ends of a \
      waterfall.

      Examples:
        layoutcache inspect
        layoutcache inspect --dataset tate --layout phone
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Option(
    help: "The dataset (default: all, or the only one with --layout)", completion: .datasets,
    transform: datasetName)
  var dataset: String?

  @Option(
    help: "The layout (default: all of the dataset)", completion: .layouts, transform: layoutName)
  var layout: String?

  func run() throws {
    try database.withCache { cache in
      if let dataset {
        try printDataset(dataset, in: cache)
      } else if layout != nil {
        try printDataset(DatasetOption.unnamed(in: cache), in: cache)
      } else {
        try printDatabase(cache)
      }
    }
  }

  private func printDatabase(_ cache: LayoutCache) throws {
    let report = DatabaseReport(
      file: try cache.inspect(),
      datasets: try cache.datasetNames().map {
        try cache.inspect(dataset: $0, sectionLimit: 0)
      })
    if output.json {
      return try StandardOutput.printJSON { $0.value(report, DatabaseReport.fields) }
    }
    try StandardOutput.print(report, DatabaseReport.fields)
    try print(report.datasets, DatasetInspection.fields)
  }

  private func printDataset(_ name: String, in cache: LayoutCache) throws {
    ProgressLine.show(stage: "reading all items")
    // Tables show the first sections, JSON all of them.
    var inspection = try cache.inspect(
      dataset: name, sectionLimit: output.json ? .max : 20, countingMeasured: true)
    if let layout {
      // A responsive layout's sections are those of its variants.
      let own = try cache.canonical(LayoutID(layout, of: name)).layout
      let shown = try Set(
        [own] + cache.layout(LayoutID(own, of: name)).variants.map(\.name))
      inspection.layouts.removeAll { !shown.contains($0.name) }
      if inspection.layouts.isEmpty {
        throw LayoutCacheError(.noSuchLayout(LayoutID(layout, of: name)))
      }
    }
    if output.json {
      return try StandardOutput.printJSON { $0.value(inspection, DatasetInspection.fields) }
    }
    try StandardOutput.print(inspection, DatasetInspection.fields)
    try print(inspection.trees, TreeInspection.fields)
    let hasVariants = inspection.layouts.contains { $0.secondsSinceUse != nil }
    try print(
      inspection.layouts,
      LayoutInspection.fields + (hasVariants ? LayoutInspection.variantColumns : []))
    guard layout != nil, let sections = inspection.layouts.first?.sections else { return }
    try print(sections, SectionInspection.fields)
    if !sections.isEmpty && sections.count < inspection.sectionCount {
      try StandardOutput.printLine(
        "the first \(sections.count) of \(plural(inspection.sectionCount, "section"))")
    }
  }

  /// Prints a table after an empty line, unless it has no rows.
  private func print<Row>(_ rows: [Row], _ fields: [AnswerField<Row>]) throws {
    if rows.isEmpty { return }
    try StandardOutput.printLine("")
    try Table(rows, fields).print()
  }
}
