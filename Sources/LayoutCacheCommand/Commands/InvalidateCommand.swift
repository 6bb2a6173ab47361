import ArgumentParser
import LayoutCache

struct InvalidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invalidate",
    abstract: "Compute parts of layouts again",
    discussion: """
      An item is named as changed to those who follow the layout, a section is placed anew \
      from its first item, and with neither --section nor --item everything is laid out from \
      scratch. Layouts that are behind their dataset catch up at their next query.

      Example:
        layoutcache invalidate --layout phone --section 1922
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var part: LayoutPartOptions
  @OptionGroup var output: FormatOption

  @Option(
    name: [.customLong("item"), .customLong("from")], parsing: .unconditional,
    help: ArgumentHelp("An item's key: name it as changed", valueName: "key"))
  var item: String?

  func run() throws {
    let items = item.map { [$0] } ?? []
    let sections = part.section.map { [$0] } ?? []
    let report = try database.withCache { cache in
      try part.change(in: cache) {
        .invalidate(
          layout: $0, items: items, sections: sections,
          everything: items.isEmpty && sections.isEmpty)
      }
    }
    try report.print(asJSON: output.json)
  }
}
