import ArgumentParser
import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Print the elements in a rectangle, some items, or the changes since a revision",
    discussion: """
      Rectangles are half-open: elements that only touch them are not included. A layout that \
      lags behind its dataset is brought up to date first. Long answers are printed as they are \
      read, all at one revision.

      With --as-laid-out no header or footer is pinned, and no effect is applied.

      With --from it prints the cells of consecutive items, without pins and effects. --after \
      resumes a truncated answer, even if the data has changed since: the token contains the \
      dataset, the layout and the query.

      With --key it prints an item's position and data. With --point it prints the topmost element \
      there; without --visible, headers and footers are not pinned, and cells are shown without \
      the layout's effect.

      With --where or --order it reads a view of the dataset: the items that match, or all, in their \
      order or in another one.

      With --since it prints the changes of sections and items since a revision, and the parts of \
      the layout to query again; --rect limits these parts to sections that intersect the \
      rectangle. If the log does not reach back to the revision, the answer is "everything".

      Examples:
        layoutcache query --layout phone --rect 0,0,390,844
        layoutcache query --layout phone --from A00001 --count 20
        layoutcache query --layout phone --key A00001
        layoutcache query --layout phone --point 100,250
        layoutcache query --layout phone --since 1
        layoutcache query --layout phone --rect 0,0,390,844 --order -title
      """)

  @OptionGroup var database: DatabaseOptions

  @OptionGroup var layout: LayoutOptions
  @OptionGroup var output: FormatOption

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The rectangle in points", valueName: "x,y,width,height"),
    transform: Rect.init(argument:))
  var rect: Rect?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The first item, by its key or as SECTION.ITEM", valueName: "key|s.i"))
  var from: String?

  @Option(
    parsing: .unconditional,
    help: "The maximum number of items (default: all; with --after, the token's)")
  var count: Int?

  @Flag(help: "Print the items before that of --from, nearest first")
  var backward = false

  @Option(parsing: .unconditional, help: "The key of an item")
  var key: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --key: also print the offset that puts the item's start this far after the visible one",
      valueName: "points"),
    transform: length)
  var anchor: Length?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("A point", valueName: "x,y"),
    transform: Point.init(argument:))
  var point: Point?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The revision since which changes are printed", valueName: "revision"))
  var since: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The visible bounds, for pinned headers and footers, and effects (default: the rectangle)",
      valueName: "x,y,width,height"),
    transform: Rect.init(argument:))
  var visible: Rect?

  @Flag(help: "Print all elements without pins and effects")
  var asLaidOut = false

  @Option(
    parsing: .unconditional,
    help: "The maximum number of elements (default: all; with --after, the token's)")
  var limit: Int?

  @Option(
    help: ArgumentHelp("The token of a truncated answer, to resume it", valueName: "token"),
    transform: continuation)
  var after: Continuation?

  @OptionGroup var views: ViewOptions
  @OptionGroup var carousels: CarouselOptions
  @OptionGroup var layoutDirection: DirectionOption

  @Flag(help: "Print the items' data, as the member \"data\" of cells")
  var data = false

  @Flag(help: "Print the cost of the query: nodes read, cache hits, time")
  var explain = false

  func validate() throws {
    for (name, number) in [("limit", limit), ("count", count)] {
      if let number, number < 1 { throw ValidationError("--\(name) must be at least 1") }
    }
    if let since, since < 0 { throw ValidationError("--since must be at least 0") }
    do {
      _ = try request.queries()
    } catch ElementsRequest.Conflict.isEmpty {
      throw ValidationError("--rect, --from, --key, --point, --since or --after is needed")
    } catch let error as ElementsRequest.Conflict {
      throw ValidationError(error.description(\.option))
    } catch is LayoutCacheError {
      // Too many offsets are invalid data, which the command reports when it runs.
    }
  }

  private var request: ElementsRequest {
    get throws {
      var request = ElementsRequest()
      request.rects = rect.map { [$0] } ?? []
      request.visible = visible
      request.asLaidOut = asLaidOut
      request.limit = limit
      request.from = from
      request.count = count
      request.backward = backward ? true : nil
      request.after = after
      request.since = since
      if data { request.others.insert(.data) }
      if explain { request.others.insert(.explain) }
      if key != nil { request.others.insert(.key) }
      if anchor != nil { request.others.insert(.anchor) }
      if point != nil { request.others.insert(.point) }
      request.direction = layoutDirection.direction
      if !carousels.offset.isEmpty { request.offsets = try carousels.offsets }
      return request
    }
  }

  func run() throws {
    let isJSON = output.json
    try database.withCache { cache in
      let id = try id(in: cache)
      let view = try views.view(of: id.dataset, in: cache)
      if let since {
        if let view {
          return try cache.changes(
            of: id, since: since, in: rect, direction: layoutDirection.direction, showing: view
          ).print(asJSON: isJSON)
        }
        return try cache.changes(
          of: id.dataset, since: since, layout: id.layout, in: rect,
          direction: layoutDirection.direction
        ).print(asJSON: isJSON)
      }
      let offsets = try carousels.offsets(of: id.dataset, in: cache)
      let direction = layoutDirection.direction
      if let key {
        let answer = try cache.read(id, showing: view) {
          try AnchoredElementAnswer(
            forKey: key, at: anchor, in: $0.scrolled(to: offsets).reading(direction))
        }
        return try output.print(answer, AnchoredElementAnswer.fields)
      }
      if let point {
        let element = try cache.read(id, showing: view) {
          try $0.scrolled(to: offsets).reading(direction).element(at: point, visible: visible)
        }
        if let element { return try output.print(element, LayoutAttributes.fieldsInDetail) }
        return try isJSON
          ? StandardOutput.printJSON { $0.null() }
          : StandardOutput.printLine("no element at this point")
      }
      var output = QueryOutput(isJSON: isJSON, explains: explain)
      for query in try request.queries() {
        try cache.forEachPage(
          of: query, in: id, showing: view, withData: data, scrolledTo: offsets,
          direction: direction
        ) { try output.add($0, $1, $2) }
      }
      try output.finish()
    }
  }

  /// Returns the layout: the one named, else that of the token, else the only one.
  private func id(in cache: LayoutCache) throws -> LayoutID {
    guard let after else { return try layout.id(in: cache) }
    return LayoutID(
      layout.layout ?? after.layout.layout,
      of: layout.datasetOption.dataset ?? after.layout.dataset)
  }
}

extension ElementsRequest.Parameter {
  /// The name as an option.
  fileprivate var option: String {
    rawValue.reduce(into: "--") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
  }
}

/// Parses a length in points, which may be negative.
private func length(_ text: String) throws -> Length {
  guard let length = Length(points: try number(text)) else {
    throw ValidationError("\(excerpt(text)) points exceed the range of a length")
  }
  return length
}

/// Parses the token of an answer that was truncated by its limit.
private func continuation(_ token: String) throws -> Continuation {
  guard let continuation = Continuation(token: token) else {
    throw ValidationError("it is not the \"next\" token of an answer")
  }
  return continuation
}
