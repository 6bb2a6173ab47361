import ArgumentParser
import LayoutCache

struct LayoutShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a layout's configuration",
    discussion: """
      The output is valid input for 'layoutcache layout set --config'.

      Example:
        layoutcache layout show phone
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Argument(
    help: "The layout's name (default: the only one)", completion: .layouts, transform: layoutName)
  var name: String?

  func run() throws {
    let layout = try database.withCache { cache in
      try cache.layout(LayoutID(named: name, of: datasetOption.name(in: cache), in: cache))
    }
    // The configuration is always JSON; --json only removes the whitespace.
    try StandardOutput.printEncoded(layout.configuration, isPretty: !output.json)
  }
}
