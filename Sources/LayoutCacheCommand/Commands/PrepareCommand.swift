import ArgumentParser
import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

struct PrepareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prepare",
    abstract: "Bring layouts up to date with their dataset",
    discussion: """
      Queries do this on demand; 'prepare' does it ahead of time. The name of a layout that fits \
      any width means all its variants, one with a width, phone@390, that variant.

      Example:
        layoutcache prepare --layout phone
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Option(
    help: "The layout (default: all of the dataset)", completion: .layouts,
    transform: layoutName)
  var layout: String?

  func run() throws {
    let (dataset, results) = try database.withCache { cache in
      let dataset = try datasetOption.name(in: cache)
      let names = try layout.map { [$0] } ?? cache.layoutNames(of: dataset)
      let answers = try names.flatMap { name in
        try PreparationAnswer.all(of: LayoutID(name, of: dataset), in: cache) { name, progress in
          ProgressLine.show(
            stage: "layout '\(excerpt(name))'", part: (progress.placedItems, progress.itemCount))
        }
      }
      return (dataset, answers)
    }
    try output.print(
      "layouts", results, PreparationAnswer.fields, whenEmpty: "dataset '\(dataset)' has no layouts"
    ) { $0.member("dataset", dataset) }
  }
}
