import ArgumentParser
import LayoutCache
import TextFormats

struct DatasetRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a dataset with its items, layouts and log",
    discussion: """
      There is no way back. Its space in the file is used again, or given back.

      Example:
        layoutcache dataset remove tate
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The dataset's name", completion: .datasets, transform: datasetName)
  var name: String

  func run() throws {
    try database.withCache { try $0.removeDataset(name) }
    try output.print("removed dataset '\(name)'") { json in json.member("dataset", name) }
  }
}
