import ArgumentParser
import LayoutCache

struct InvalidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invalidate",
    abstract: "Recompute parts of layouts",
    discussion: """
      With --item, the item is reported as changed to clients that follow the layout. With \
      --section, the section is placed again from its first item. With neither, everything is laid \
      out from scratch. Layouts that lag behind their dataset catch up at their next query.

      Example:
        layoutcache invalidate --layout phone --section 1922
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var part: LayoutPartOptions
  @OptionGroup var output: FormatOption

  @Option(
    name: [.customLong("item"), .customLong("from")], parsing: .unconditional,
    help: ArgumentHelp("The key of an item to report as changed", valueName: "key"))
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
