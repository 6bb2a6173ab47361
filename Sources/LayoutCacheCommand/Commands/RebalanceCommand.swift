import ArgumentParser
import LayoutCache

struct RebalanceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebalance",
    abstract: "Place items again, each in the column that is shortest at its position",
    discussion: """
      A stable waterfall leaves items in their columns when others change, so its columns may \
      grow apart. Other layouts are always balanced and do not change. Layouts that lag behind \
      their dataset catch up at their next query. More than 32,768 items take several commits.

      Example:
        layoutcache rebalance --layout phone
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var part: LayoutPartOptions
  @OptionGroup var output: FormatOption

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The first item to place again, in its section (default: the first of each section)",
      valueName: "key"))
  var from: String?

  func run() throws {
    let report = try database.withCache { cache in
      try part.change(in: cache, from: from) {
        .rebalance(layout: $0, section: part.section, from: from)
      }
    }
    try report.print(asJSON: output.json)
  }
}
