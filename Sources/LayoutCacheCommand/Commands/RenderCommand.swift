import ArgumentParser
import LayoutCache
import LayoutGeometry
import TextFormats

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Draw a picture of a rectangle of a layout",
    discussion: """
      Headers and footers are pinned to the rectangle, as in a query.

      Example:
        layoutcache render --layout phone --rect 0,0,390,844 -o phone.svg
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var layout: LayoutOptions
  @OptionGroup var format: FormatOption

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The rectangle in points", valueName: "x,y,width,height"),
    transform: Rect.init(argument:))
  var rect: Rect

  @Option(
    name: [.short, .long], help: ArgumentHelp("The picture, FILE.svg", valueName: "file"))
  var output: String

  func validate() throws {
    guard output.lowercased().hasSuffix(".svg") else {
      throw ValidationError("cannot draw '\(output)'; name a file that ends in .svg")
    }
    if rect.isEmpty { throw ValidationError("--rect is empty; there is nothing to draw") }
  }

  func run() throws {
    let (id, picture): (LayoutID, Picture)
    do {
      (id, picture) = try database.withCache { cache in
        let id = try layout.id(in: cache)
        return (id, try cache.read(id) { try Picture(of: rect, in: $0) })
      }
    } catch is Picture.TooManyElements {
      throw Failure(
        .usage,
        "the rectangle holds more than \(Picture.elementsMax) elements; draw a smaller one")
    }
    try writeFile(picture.svg, to: output)
    try format.print("drew \(plural(picture.elements.count, "element")) into \(output)") { json in
      json.member("dataset", id.dataset)
      json.member("layout", id.layout)
      json.member("revision", picture.revision)
      json.member("file", output)
      json.member("elements", picture.elements.count)
    }
  }
}
