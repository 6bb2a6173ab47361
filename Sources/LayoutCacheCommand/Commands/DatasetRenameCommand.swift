import ArgumentParser
import LayoutCache
import TextFormats

struct DatasetRenameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Rename a dataset",
    discussion: """
      Its items, layouts, revision and history stay the same.

      Example:
        layoutcache dataset rename tate museum
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The dataset's name", completion: .datasets, transform: datasetName)
  var name: String

  @Argument(help: "The new name", transform: datasetName)
  var newName: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The required revision of the dataset; at another, exit with 1 and change nothing",
      valueName: "revision"))
  var expect: Int?

  func run() throws {
    try database.withCache { try $0.renameDataset(name, to: newName, expecting: expect) }
    try output.print("renamed dataset '\(name)' to '\(newName)'") { json in
      json.member("dataset", newName)
      json.member("from", name)
    }
  }
}
