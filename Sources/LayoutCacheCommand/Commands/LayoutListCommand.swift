import ArgumentParser
import LayoutCache
import TextFormats

struct LayoutListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the layouts of a dataset")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  func run() throws {
    let dataset = datasetOption.dataset
    let listings = try database.withCache { cache in
      try cache.layouts(of: dataset).map { layout in
        try LayoutListing(layout)
      }
    }
    try output.print(
      "layouts", listings, LayoutListing.fields,
      whenEmpty: "dataset '\(dataset)' has no layouts"
    ) { $0.member("dataset", dataset) }
  }
}
