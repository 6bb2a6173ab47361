import ArgumentParser
import CollectionLayout
import LayoutCache
import TextFormats

struct PrepareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prepare",
    abstract: "Bring layouts up to date with their dataset",
    discussion: "Queries do that by themselves; this does it ahead of time.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Option(help: "The layout (default: all of the dataset)", transform: layoutName)
  var layout: String?

  func run() throws {
    let dataset = datasetOption.dataset
    let results = try database.withCache { cache in
      let names = try layout.map { [$0] } ?? cache.layouts(of: dataset).map(\.name)
      return try names.map { try PreparationAnswer(LayoutID($0, of: dataset), in: cache) }
    }
    try output.print(
      "layouts", results, PreparationAnswer.fields, whenEmpty: "dataset '\(dataset)' has no layouts"
    ) { $0.member("dataset", dataset) }
  }
}
