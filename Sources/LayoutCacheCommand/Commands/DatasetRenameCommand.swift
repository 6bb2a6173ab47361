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

  @OptionGroup var revision: ExpectedRevision

  func run() throws {
    try database.withCache { try $0.renameDataset(name, to: newName, expecting: revision.expect) }
    try output.print("renamed dataset '\(name)' to '\(newName)'") { json in
      json.member("dataset", newName)
      json.member("from", name)
    }
  }
}
