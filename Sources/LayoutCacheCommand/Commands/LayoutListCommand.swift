import ArgumentParser
import CollectionLayout
import LayoutCache
import LayoutGeometry

struct LayoutListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the layouts of a dataset")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  func run() throws {
    let dataset = datasetOption.dataset
    let layouts = try database.withCache { try $0.layouts(of: dataset) }
    if output.json {
      return try StandardOutput.printEncoded(
        LayoutListing(
          dataset: dataset, layouts: layouts.map { LayoutListing.Layout($0) }))
    }
    if layouts.isEmpty {
      return try StandardOutput.printLine("dataset '\(dataset)' has no layouts")
    }
    var table = Table([
      .text("layout"), .text("kind"), .number("width"), .number("height"), .text("scrolls"),
      .number("prepared at"),
    ])
    for layout in layouts {
      let configuration = layout.configuration
      table.add([
        layout.name, configuration.kindNames.joined(separator: ", "),
        configuration.container.width?.description ?? "",
        configuration.container.height?.description ?? "",
        configuration.scrollDirection.rawValue,
        layout.preparedRevision.map { "revision \($0)" } ?? "never",
      ])
    }
    try table.print()
  }
}

extension LayoutConfiguration {
  /// The kinds that sections may have, the default first.
  fileprivate var kindNames: [String] {
    let name = (section.kind ?? SectionOptions.kindDefault).name
    return [name] + Set(sections.values.compactMap(\.kind?.name)).subtracting([name]).sorted()
  }
}

/// The JSON of `layout list`.
private struct LayoutListing: Encodable {
  struct Layout: Encodable {
    var layout: String
    var preparedRevision: Int?
    var configuration: LayoutConfiguration

    private enum CodingKeys: String, CodingKey { case layout, preparedRevision, configuration }

    init(_ description: LayoutDescription) {
      layout = description.name
      preparedRevision = description.preparedRevision
      configuration = description.configuration
    }

    /// Writes every member, `null` for a layout that was never prepared.
    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(layout, forKey: .layout)
      try values.encode(preparedRevision, forKey: .preparedRevision)
      try values.encode(configuration, forKey: .configuration)
    }
  }

  var dataset: String
  var layouts: [Layout]
}
