import ArgumentParser
import LayoutCache

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Print what the database, a dataset or a layout holds and takes",
    discussion: """
      Without --dataset, the file and each dataset in a row; with it, the dataset's trees and \
      its layouts; with --layout, that layout's sections too, and how a waterfall's columns end.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Option(help: "The dataset", transform: datasetName)
  var dataset: String?

  @Option(help: "The layout (default: all of the dataset)", transform: layoutName)
  var layout: String?

  func validate() throws {
    if layout != nil && dataset == nil { throw ValidationError("--layout needs --dataset") }
  }

  func run() throws {
    try database.withCache { cache in
      if let dataset {
        try printDataset(dataset, in: cache)
      } else {
        try printDatabase(cache)
      }
    }
  }

  private func printDatabase(_ cache: LayoutCache) throws {
    let file = try cache.inspect()
    let datasets = try cache.datasets().map {
      try cache.inspect(dataset: $0.name, sectionLimit: 0)
    }
    if output.json {
      return try StandardOutput.printJSON { $0.value(file, datasets: datasets) }
    }
    try StandardOutput.print(facts: [
      ("database", file.path), ("file", "\(file.fileBytes) bytes"),
      ("datasets", String(file.datasetCount)), ("nodes", String(file.nodeCount)),
    ])
    if datasets.isEmpty { return }
    var table = Table([
      .text("dataset"), .number("revision"), .number("sections"), .number("items"),
      .number("layouts"), .number("nodes"), .number("bytes"), .number("bytes/item"),
    ])
    for dataset in datasets {
      table.add([
        dataset.name, String(dataset.revision), String(dataset.sectionCount),
        String(dataset.itemCount), String(dataset.layouts.count), String(dataset.nodeCount),
        String(dataset.nodeBytes), oneDecimal(dataset.bytesPerItem),
      ])
    }
    try StandardOutput.printLine("")
    try table.print()
  }

  private func printDataset(_ name: String, in cache: LayoutCache) throws {
    // People see the first sections, programs all of them.
    var inspection = try cache.inspect(dataset: name, sectionLimit: output.json ? .max : 20)
    if let layout {
      inspection.layouts.removeAll { !$0.name.utf8.elementsEqual(layout.utf8) }
      if inspection.layouts.isEmpty {
        throw LayoutCacheError(.noSuchLayout(layout, dataset: name))
      }
    }
    if output.json { return try StandardOutput.printJSON { $0.value(inspection) } }
    try StandardOutput.print(facts: [
      ("dataset", inspection.name), ("revision", String(inspection.revision)),
      ("sections", String(inspection.sectionCount)), ("items", String(inspection.itemCount)),
      ("nodes", "\(inspection.nodeCount), \(inspection.nodeBytes) bytes"),
      ("bytes per item", oneDecimal(inspection.bytesPerItem)),
    ])
    try StandardOutput.printLine("")
    try Table(trees: inspection.trees).print()
    if inspection.layouts.isEmpty { return }
    try StandardOutput.printLine("")
    try Table(layouts: inspection.layouts).print()
    if layout != nil, let sections = inspection.layouts.first?.sections, !sections.isEmpty {
      try StandardOutput.printLine("")
      try Table(sections: sections).print()
      if sections.count < inspection.sectionCount {
        try StandardOutput.printLine(
          "the first \(sections.count) of \(plural(inspection.sectionCount, "section"))")
      }
    }
  }
}
