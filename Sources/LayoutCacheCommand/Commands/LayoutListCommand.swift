import ArgumentParser
import LayoutCache
import TextFormats

struct LayoutListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the layouts of a dataset",
    discussion: """
      Example:
        layoutcache layout list
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  func run() throws {
    let (dataset, listings) = try database.withCache { cache in
      let dataset = try datasetOption.name(in: cache)
      return (dataset, try cache.layouts(of: dataset).map { try LayoutListing($0) })
    }
    let rows = output.json ? listings : listings.flatMap(\.tableRows)
    let hasVariants = rows.count > listings.count
    try output.print(
      "layouts", rows, LayoutListing.fields + (hasVariants ? LayoutListing.variantColumns : []),
      whenEmpty: "dataset '\(dataset)' has no layouts"
    ) { $0.member("dataset", dataset) }
  }
}
