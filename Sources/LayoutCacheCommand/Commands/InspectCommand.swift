import ArgumentParser
import LayoutCache
import LayoutGeometry
import TextFormats

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract:
      "Print the contents and size of the database, a dataset or a layout, or list sections",
    discussion: """
      Without --dataset it prints the file and one row per dataset. With --dataset it reads all \
      items, and prints the dataset's trees and its layouts, each with its number of measured \
      lengths. With --layout it also prints that layout's sections, and the column ends of a \
      waterfall.

      --sections lists the dataset's sections instead, with --layout also each section's start and \
      length along the scrolling axis. With --limit, "next" of --json is the key for --after.

      Examples:
        layoutcache inspect
        layoutcache inspect --sections --layout phone
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

  @Flag(help: "List the sections")
  var sections = false

  @Option(parsing: .unconditional, help: "With --sections: their maximum number (default: all)")
  var limit: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --sections: start after the section with this key", valueName: "key"))
  var after: String?

  @OptionGroup var carousels: CarouselOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
    for (option, isGiven) in [
      ("--limit", limit != nil), ("--after", after != nil), ("--offset", !carousels.offset.isEmpty),
    ] where isGiven && !sections {
      throw ValidationError("\(option) needs --sections")
    }
    if layout == nil && !carousels.offset.isEmpty {
      throw ValidationError("--offset needs --layout")
    }
  }

  func run() throws {
    try database.withCache { cache in
      if sections {
        try printSections(of: dataset ?? DatasetOption.unnamed(in: cache), in: cache)
      } else if let dataset {
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

  private func printSections(of dataset: String, in cache: LayoutCache) throws {
    let listing = try SectionListing(
      of: dataset, layout: layout, scrolledTo: carousels.offsets(of: dataset, in: cache),
      from: after.map { .after(key: $0) } ?? .index(0), count: limit ?? .max, in: cache)
    guard let listing else {
      let key = after ?? ""
      throw Failure(
        .notFound, "dataset '\(dataset)' has no section '\(excerpt(key))'",
        hint: NearNames(cache).section(key, of: dataset))
    }
    try output.print(
      "sections", listing.sections, SectionListing.Section.fields,
      whenEmpty: "dataset '\(dataset)' has no sections"
    ) { json in
      json.member("dataset", dataset)
      json.optionalMember("layout", listing.layout)
      json.optionalMember("revision", listing.revision)
      json.optionalMember("next", listing.hasMore ? listing.sections.last?.key : nil)
    }
  }

  private func printDataset(_ name: String, in cache: LayoutCache) throws {
    ProgressLine.show(stage: "reading all items")
    // Tables show the first sections, JSON all of them.
    var inspection = try cache.inspect(
      dataset: name, sectionLimit: output.json ? .max : 20, countingMeasured: true)
    if let layout {
      // A responsive layout's sections are those of its variants.
      let own = try cache.canonical(LayoutID(layout, of: name)).layout
      let shown = try Set([own] + cache.layout(LayoutID(own, of: name)).variants.map(\.name))
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
