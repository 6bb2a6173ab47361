import ArgumentParser
import LayoutCache
import TextFormats

struct LayoutShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a layout's configuration",
    discussion: """
      The output is valid input for 'layoutcache layout set --config'. --history lists the last 16 \
      configurations, the present one first, with the time of each.

      Examples:
        layoutcache layout show phone
        layoutcache layout show phone --history
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Argument(
    help: "The layout's name (default: the only one)", completion: .layouts, transform: layoutName)
  var name: String?

  @Flag(help: "List the last configurations")
  var history = false

  func run() throws {
    if history { return try printHistory() }
    let layout = try database.withCache { cache in
      try cache.layout(LayoutID(named: name, of: datasetOption.name(in: cache), in: cache))
    }
    // The configuration is always JSON; --json only removes the whitespace.
    try StandardOutput.print(layout.configuration, pretty: !output.json)
  }

  private func printHistory() throws {
    let (layout, history) = try database.withCache { cache in
      let layout = try LayoutID(named: name, of: datasetOption.name(in: cache), in: cache)
      return (layout, try cache.layoutHistory(of: layout))
    }
    try output.print(
      "history", history.map(DefinitionListing.init), DefinitionListing.fields,
      whenEmpty: "\(layout) has no history"
    ) { json in
      json.member("dataset", layout.dataset)
      json.member("layout", layout.layout)
    }
  }
}
