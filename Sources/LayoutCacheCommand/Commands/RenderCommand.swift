import ArgumentParser
import LayoutCache
import LayoutGeometry
import TextFormats

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render", abstract: "Draw a picture of a rectangle of a layout",
    discussion: """
      Headers and footers are pinned to the rectangle, as in a query. Cells show the title in \
      their item's data, or else the item's key. PNG files need rsvg-convert.

      With --changes it marks the changes since a revision: in one colour the items that were \
      inserted or moved, or have another size or other data, and in another colour the elements \
      that moved as a consequence. If the log does not reach back to the revision, everything is \
      marked.

      Examples:
        layoutcache render --layout phone --rect 0,0,390,844 -o phone.svg
        layoutcache render --layout phone --rect 0,0,390,844 -o phone.svg --changes 1
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var layout: LayoutOptions
  @OptionGroup var format: FormatOption
  @OptionGroup var views: ViewOptions
  @OptionGroup var carousels: CarouselOptions
  @OptionGroup var layoutDirection: DirectionOption

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The rectangle in points", valueName: "x,y,width,height"),
    transform: Rect.init(argument:))
  var rect: Rect

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("The picture file, FILE.svg or FILE.png", valueName: "file"))
  var output: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The revision since which changes are marked", valueName: "revision"))
  var changes: Int?

  func validate() throws {
    guard let file = PictureFile(path: output) else {
      throw ValidationError("cannot draw '\(output)'; name a file that ends in .svg or .png")
    }
    if rect.isEmpty { throw ValidationError("--rect is empty; there is nothing to draw") }
    let side = max(rect.size.width, rect.size.height)
    if file.form == .png, side > .points(Double(PictureFile.sideMax)) {
      throw ValidationError(
        """
        a side of a PNG has at most \(PictureFile.sideMax) points, and --rect has \(side); draw a \
        smaller rectangle, or name a file that ends in .svg
        """)
    }
    if let changes, changes < 0 { throw ValidationError("--changes must be at least 0") }
    if changes != nil, views.areGiven {
      throw ValidationError("--changes cannot be combined with --where, --order or --view")
    }
  }

  func run() throws {
    guard let file = PictureFile(path: output) else { return }
    let (dataset, picture): (String, Picture)
    do {
      (dataset, picture) = try database.withCache { cache in
        let id = try layout.id(in: cache)
        return (id.dataset, try draw(id, in: cache))
      }
    } catch is Picture.TooManyElements {
      throw Failure(
        .usage,
        "the rectangle holds more than \(Picture.elementsMax) elements; draw a smaller one")
    }
    try file.write(svg: picture.svg)
    try format.print(sentence(on: picture)) { json in
      json.member("dataset", dataset)
      json.member("layout", picture.layout)
      json.member("revision", picture.revision)
      json.member("file", output)
      json.member("elements", picture.elements.count)
      if let changes = picture.changes {
        json.member("since", changes.since)
        json.member("everything", changes.isEverything)
        json.member("edited", picture.count(of: .edited))
        json.member("moved", picture.count(of: .moved))
      }
    }
  }

  /// Draws the picture with its marked changes, both at one revision.
  private func draw(_ id: LayoutID, in cache: LayoutCache) throws -> Picture {
    let offsets = try carousels.offsets(of: id.dataset, in: cache)
    let direction = layoutDirection.direction
    while true {
      // Before the changes are read, so that they are those of an up-to-date layout.
      let view = try views.view(of: id.dataset, in: cache)
      let picture = try cache.read(id, showing: view) {
        try Picture(of: rect, in: $0.scrolled(to: offsets).reading(direction))
      }
      guard let since = changes else { return picture }
      let changes = try cache.changes(
        of: id.dataset, since: since, layout: id.layout, in: rect, direction: direction)
      // Another process may have committed in between.
      if changes.revision == picture.revision { return picture.marking(changes) }
    }
  }

  private func sentence(on picture: Picture) -> String {
    let drawn = "drew \(plural(picture.elements.count, "element")) into \(output)"
    guard let changes = picture.changes else { return drawn }
    if changes.isEverything {
      return """
        \(drawn); all are marked, because the log no longer has the changes since revision \
        \(changes.since)
        """
    }
    let edited = plural(picture.count(of: .edited), "item")
    let moved = plural(picture.count(of: .moved), "element")
    return "\(drawn); since revision \(changes.since) \(edited) changed and \(moved) moved"
  }
}
