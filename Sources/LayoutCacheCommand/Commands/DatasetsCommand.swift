import ArgumentParser
import LayoutCache
import TextFormats

struct DatasetsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "datasets", abstract: "List the datasets of the database")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  func run() throws {
    let datasets = try database.withCache { try $0.datasets() }
    if output.json {
      return try StandardOutput.printJSON { json in
        json.beginObject()
        json.member("datasets", of: datasets) { json, dataset in
          json.beginObject()
          json.member("dataset", dataset.name)
          json.member("revision", dataset.revision)
          json.member("sections", dataset.sectionCount)
          json.member("items", dataset.itemCount)
          json.member("layouts", of: dataset.layouts) { $0.value($1) }
          json.endObject()
        }
        json.endObject()
      }
    }
    if datasets.isEmpty { return try StandardOutput.printLine("no datasets") }
    var table = Table([
      .text("dataset"), .number("revision"), .number("sections"), .number("items"),
      .text("layouts"),
    ])
    for dataset in datasets {
      table.add([
        dataset.name, String(dataset.revision), String(dataset.sectionCount),
        String(dataset.itemCount), dataset.layouts.joined(separator: ", "),
      ])
    }
    try table.print()
  }
}
