import ArgumentParser
import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

struct ItemCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "item", abstract: "Print an item's position in a layout, and its data",
    discussion: """
      Example:
        layoutcache item A00001 --layout phone
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var layout: LayoutOptions
  @OptionGroup var output: FormatOption
  @OptionGroup var carousels: CarouselOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Also print the content offset that puts the item's start this far after the visible start",
      valueName: "offset"),
    transform: { try number($0) })
  var anchor: Double?

  @Argument(help: "The item's key; put -- before one that starts with a dash")
  var key: String

  func run() throws {
    let distance = try anchor.map { anchor in
      guard let length = Length(points: anchor) else {
        throw ValidationError("\(anchor) points exceed the range of a length")
      }
      return length
    }
    let answer = try database.withCache { cache in
      let id = try layout.id(in: cache)
      let offsets = try carousels.offsets(of: id.dataset, in: cache)
      return try cache.read(id) { snapshot in
        try AnchoredElementAnswer(
          forKey: key, at: distance, in: snapshot.scrolled(to: offsets))
      }
    }
    if output.json {
      try StandardOutput.printJSON { $0.value(answer, AnchoredElementAnswer.fields) }
    } else {
      try StandardOutput.print(answer, AnchoredElementAnswer.fields)
    }
  }
}
