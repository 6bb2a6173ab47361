import ArgumentParser
import LayoutCache
import TextFormats

struct DatasetRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a dataset with its items, layouts and log",
    discussion: "There is no way back. Its space in the file is used again, or given back.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The dataset's name", transform: datasetName)
  var name: String

  func run() throws {
    var progress = ProgressLine("remove")
    defer { progress.clear() }
    progress.show(stage: "removing dataset '\(name)'")
    try database.withCache { try $0.removeDataset(name) }
    progress.clear()
    try output.print("removed dataset '\(name)'") { json in json.member("dataset", name) }
  }
}
