import ArgumentParser
import LayoutCache
import TextFormats

struct DatasetRenameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a dataset another name",
    discussion: """
      Its items, layouts, revision and history stay as they are.

      Example:
        layoutcache dataset rename tate museum
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The dataset's name", completion: .datasets, transform: datasetName)
  var name: String

  @Argument(help: "The name that it gets", transform: datasetName)
  var newName: String

  func run() throws {
    try database.withCache { try $0.renameDataset(name, to: newName) }
    try output.print("renamed dataset '\(name)' to '\(newName)'") { json in
      json.member("dataset", newName)
      json.member("from", name)
    }
  }
}
