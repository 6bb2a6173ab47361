import ArgumentParser
import LayoutCache
import LayoutGeometry
import TextFormats

struct PrepareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prepare",
    abstract: "Bring layouts up to date with their dataset, or place items again",
    discussion: """
      Queries do this on demand; 'prepare' does it ahead of time. The name of a layout that fits \
      any width means all its variants, one with a width, phone@390, that variant.

      --rebalance places items again, each in the column that is shortest at its position: a \
      stable waterfall leaves items in their columns when others change, so its columns may grow \
      apart. Other layouts are always balanced and do not change. More than 32,768 items take \
      several commits.

      --invalidate recomputes parts of layouts: with --item, the item is reported as changed to \
      clients that follow the layout; with --section, the section is placed again from its first \
      item; with neither, everything is laid out from scratch. With --kind, elements of a kind \
      are reported as changed: those of the section, or without one those of the layout.

      Examples:
        layoutcache prepare --layout phone
        layoutcache prepare --layout phone --rebalance
        layoutcache prepare --layout phone --invalidate --section 1922
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var part: LayoutPartOptions
  @OptionGroup var output: FormatOption

  @Flag(help: "Place items again, each in the shortest column")
  var rebalance = false

  @Flag(help: "Recompute parts of layouts")
  var invalidate = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --rebalance: the first item, in its section (default: the first of each section)",
      valueName: "key"))
  var from: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --invalidate: the key of an item to report as changed", valueName: "key"))
  var item: String?

  @Option(
    name: .customLong("kind"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "With --invalidate: a kind of elements to report as changed, such as header; may repeat",
      valueName: "kind"))
  var kinds: [String] = []

  func validate() throws {
    if rebalance && invalidate {
      throw ValidationError("--rebalance cannot be combined with --invalidate")
    }
    if from != nil && !rebalance { throw ValidationError("--from needs --rebalance") }
    if item != nil && !invalidate { throw ValidationError("--item needs --invalidate") }
    if !kinds.isEmpty && !invalidate { throw ValidationError("--kind needs --invalidate") }
    if !kinds.isEmpty && item != nil {
      throw ValidationError("--kind cannot be combined with --item")
    }
    if part.section != nil && !rebalance && !invalidate {
      throw ValidationError("--section needs --rebalance or --invalidate")
    }
  }

  func run() throws {
    if rebalance || invalidate {
      return try database.withCache { try change(in: $0) }.print(asJSON: output.json)
    }
    let (dataset, results) = try database.withDataset(part.datasetOption) { cache, dataset in
      let names = try part.layout.map { [$0] } ?? cache.layoutNames(of: dataset)
      return try names.flatMap { name in
        try PreparationAnswer.all(of: LayoutID(name, of: dataset), in: cache) { name, progress in
          ProgressLine.show(
            stage: "layout '\(excerpt(name))'", part: (progress.placedItems, progress.itemCount))
        }
      }
    }
    try output.print(
      "layouts", results, PreparationAnswer.fields, whenEmpty: "dataset '\(dataset)' has no layouts"
    ) { $0.member("dataset", dataset) }
  }

  private func change(in cache: LayoutCache) throws -> Commit {
    let section = part.section
    if rebalance {
      return try part.change(in: cache, from: from) {
        .rebalance(layout: $0, section: section, from: from)
      }
    }
    let sections = section.map { [$0] } ?? []
    return try part.change(in: cache) {
      if !kinds.isEmpty { return .invalidateElements(layout: $0, kinds: kinds, sections: sections) }
      return .invalidate(
        layout: $0, items: item.map { [$0] } ?? [], sections: sections,
        everything: item == nil && section == nil)
    }
  }
}
