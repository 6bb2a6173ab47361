import ArgumentParser
import LayoutCache

struct LayoutShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a layout's configuration",
    discussion: "The output is a file for 'layoutcache layout set --config'.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Argument(help: "The layout's name", transform: layoutName)
  var name: String

  func run() throws {
    let layout = try database.withCache { try $0.layout(LayoutID(name, of: datasetOption.dataset)) }
    // The configuration is JSON for people too; --json only takes the spaces out.
    try StandardOutput.printEncoded(layout.configuration, isPretty: !output.json)
  }
}
