import ArgumentParser
import LayoutCache
import TextFormats

struct LayoutRenameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Rename a layout of a dataset",
    discussion: """
      Its configuration and results stay the same.

      Example:
        layoutcache layout rename phone small
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Argument(help: "The layout's name", completion: .layouts, transform: layoutName)
  var name: String

  @Argument(help: "The new name", transform: layoutName)
  var newName: String

  func run() throws {
    let (dataset, _) = try database.withDataset(datasetOption) {
      try $0.renameLayout(LayoutID(name, of: $1), to: newName)
    }
    try output.print("renamed layout '\(name)' of dataset '\(dataset)' to '\(newName)'") { json in
      json.member("dataset", dataset)
      json.member("layout", newName)
      json.member("from", name)
    }
  }
}
