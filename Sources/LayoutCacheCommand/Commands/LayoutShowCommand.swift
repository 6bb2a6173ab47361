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
    let text = try ConfigurationText.encode(layout.configuration)
    // Whitespace is added by an encoder that unites two spellings of a name.
    let pretty = try StandardOutput.encoded(layout.configuration)
    let isSame = try ConfigurationText.decode(pretty) == layout.configuration
    try StandardOutput.printLine(output.json || !isSame ? text : pretty)
  }
}
