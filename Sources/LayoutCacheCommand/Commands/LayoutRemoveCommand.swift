import ArgumentParser
import LayoutCache
import TextFormats

struct LayoutRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a layout and its results from a dataset",
    discussion: """
      Example:
        layoutcache layout remove desktop
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Argument(help: "The layout's name", completion: .layouts, transform: layoutName)
  var name: String

  func run() throws {
    let (dataset, _) = try database.withDataset(datasetOption) {
      try $0.removeLayout(LayoutID(name, of: $1))
    }
    try output.print("removed layout '\(name)' of dataset '\(dataset)'") { json in
      json.member("dataset", dataset)
      json.member("layout", name)
    }
  }
}
