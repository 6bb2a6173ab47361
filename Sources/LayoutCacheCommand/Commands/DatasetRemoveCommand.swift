import ArgumentParser
import LayoutCache
import TextFormats

struct DatasetRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a dataset with its items, layouts and log",
    discussion: """
      This cannot be undone. Its space in the file is reused or returned to the file system.

      Example:
        layoutcache dataset remove tate
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The dataset's name", completion: .datasets, transform: datasetName)
  var name: String

  @OptionGroup var revision: ExpectedRevision

  func run() throws {
    try database.withCache { try $0.removeDataset(name, expecting: revision.expect) }
    try output.print("removed dataset '\(name)'") { json in json.member("dataset", name) }
  }
}
