import ArgumentParser
import CollectionLayout
import LayoutCache
import LayoutGeometry
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
        LayoutListing(
          layout: layout,
          configuration: JSONText(json: try ConfigurationText.encode(layout.configuration)))
      }
    }
    try output.print(
      "layouts", listings, LayoutListing.fields,
      whenEmpty: "dataset '\(dataset)' has no layouts"
    ) { $0.member("dataset", dataset) }
  }
}

/// A layout, and its configuration as it is printed.
private struct LayoutListing {
  var layout: LayoutDescription
  var configuration: JSONText

  static var fields: [AnswerField<Self>] {
    [
      .json("configuration", \.configuration),
      AnswerField("layout", \.layout.name),
      .table(.text("kind")) { $0.layout.configuration.kindNames.joined(separator: ", ") },
      .table(.number("width")) { $0.layout.configuration.container.width.text },
      .table(.number("height")) { $0.layout.configuration.container.height.text },
      .table(.text("scrolls")) { $0.layout.configuration.scrollDirection.rawValue },
      AnswerField(
        "preparedRevision", as: "prepared at", \.layout.preparedRevision,
        shown: { $0.layout.preparedRevision.preparedText }),
    ]
  }
}

extension LayoutConfiguration {
  /// The kinds that sections may have, the default first.
  fileprivate var kindNames: [String] {
    let name = (section.kind ?? SectionOptions.kindDefault).name
    return [name] + Set(sections.values.compactMap(\.kind?.name)).subtracting([name]).sorted()
  }
}
