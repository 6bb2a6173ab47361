import ArgumentParser
import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

struct HitTestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hit-test",
    abstract: "Print the topmost element at a point",
    discussion: """
      Without --visible, headers and footers are not pinned, and cells are shown without the \
      layout's effect.

      Example:
        layoutcache hit-test 100,250 --layout phone
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var layout: LayoutOptions
  @OptionGroup var output: FormatOption
  @OptionGroup var carousels: CarouselOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The visible bounds, which determine pinned headers and footers, and effects",
      valueName: "x,y,width,height"),
    transform: Rect.init(argument:))
  var visible: Rect?

  // An array, because only arrays accept values that start with a dash, such as points with a
  // negative x.
  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("The point", valueName: "x,y"))
  var points: [String]

  mutating func validate() throws {
    points.removeAll { $0 == "--" }
    guard !points.isEmpty else { throw ValidationError("no point given; give X,Y") }
    if points.count == 2, points.allSatisfy({ (try? number($0)) != nil }) {
      throw ValidationError(
        "write the point with a comma and without spaces: \(points[0]),\(points[1])")
    }
    _ = try Point(argument: points[0])
    if points.count > 1 {
      throw ValidationError("unexpected argument '\(points[1])'; give one point, X,Y")
    }
  }

  func run() throws {
    let point = try Point(argument: points[0])
    let element = try database.withCache { cache in
      let id = try layout.id(in: cache)
      let offsets = try carousels.offsets(of: id.dataset, in: cache)
      return try cache.read(id) {
        try $0.scrolled(to: offsets).element(at: point, visible: visible)
      }
    }
    if output.json {
      try StandardOutput.printJSON { json in
        if let element {
          json.value(element, LayoutAttributes.fieldsInDetail)
        } else {
          json.null()
        }
      }
    } else if let element {
      try StandardOutput.print(element, LayoutAttributes.fieldsInDetail)
    } else {
      try StandardOutput.printLine("no element at this point")
    }
  }
}
