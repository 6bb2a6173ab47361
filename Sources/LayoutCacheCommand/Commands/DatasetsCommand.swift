import ArgumentParser
import LayoutCache
import TextFormats

struct DatasetsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "datasets", abstract: "List the datasets of the database",
    discussion: """
      Example:
        layoutcache datasets --json
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  func run() throws {
    let datasets = try database.withCache { try $0.datasets() }
    try output.print("datasets", datasets, DatasetDescription.fields, whenEmpty: "no datasets")
  }
}
