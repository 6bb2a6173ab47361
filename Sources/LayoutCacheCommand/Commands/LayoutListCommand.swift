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
    let (dataset, listings) = try database.withDataset(datasetOption) {
      try $0.layouts(of: $1).map { try LayoutListing($0) }
    }
    let rows = output.json ? listings : listings.flatMap(\.tableRows)
    var fields = LayoutListing.fields
    if listings.contains(where: \.isOfTemplate) { fields.append(LayoutListing.templateColumn) }
    if rows.count > listings.count { fields += LayoutListing.variantColumns }
    try output.print(
      "layouts", rows, fields, whenEmpty: "dataset '\(dataset)' has no layouts"
    ) { $0.member("dataset", dataset) }
  }
}
