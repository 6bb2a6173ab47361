import ArgumentParser
import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Print the elements whose frames intersect a rectangle, or what has changed",
    discussion: """
      Rectangles are half-open: elements that only touch are left out. The layout is brought up \
      to date first where it is behind its dataset. Answers of any length are printed as they \
      are found, all of one revision.

      With --as-laid-out every element is in its own frame: no header or footer is pinned, and \
      no effect acts.

      With --from it prints the cells of a run of items in their own places, without effects \
      and pins. With --after it goes on behind an answer that was cut, whatever has changed \
      since: the token has the dataset, the layout and what was asked for.

      With --since it prints what has become of sections and items since a revision, and what to \
      look at again in the layout: of a rectangle the sections that meet it. Where the log does \
      not reach back that is everything.

      Examples:
        layoutcache query --layout phone --rect 0,0,390,844
        layoutcache query --layout phone --from A00001 --count 20
        layoutcache query --layout phone --since 1
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
    help: "How many items to print at most (default: all, or with --after the token's)")
  var count: Int?

  @Flag(help: "Print the items before the first one, the nearest first")
  var backward = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Print what has changed since a revision", valueName: "revision"))
  var since: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The visible bounds, to which headers and footers are pinned (default: the rectangle)",
      valueName: "x,y,width,height"),
    transform: Rect.init(argument:))
  var visible: Rect?

  @Flag(help: "Print every element in its own frame, without pins and effects")
  var asLaidOut = false

  @Option(
    parsing: .unconditional,
    help: "How many elements to print at most (default: all, or with --after the token's)")
  var limit: Int?

  @Option(
    help: ArgumentHelp("Go on behind an answer that was cut by its limit", valueName: "token"),
    transform: continuation)
  var after: Continuation?

  @Flag(help: "Print what the items carry, as the member \"data\" of cells")
  var data = false

  @Flag(help: "Print what the query cost: nodes read, cache hits, time")
  var explain = false

  func validate() throws {
    for (name, number) in [("limit", limit), ("count", count)] {
      if let number, number < 1 { throw ValidationError("--\(name) is at least 1") }
    }
    if asLaidOut, visible != nil || from != nil {
      throw ValidationError("--as-laid-out goes with --rect and without --visible")
    }
    if let since {
      if since < 0 { throw ValidationError("--since is at least 0") }
      if visible != nil || asLaidOut || limit != nil || after != nil || data || explain
        || isOfItems
      {
        throw ValidationError("--since goes with --rect alone")
      }
    } else if let after {
      try validate(after)
    } else if from != nil {
      if rect != nil || visible != nil || limit != nil {
        throw ValidationError("--from goes with --count and --backward, not with a rectangle")
      }
    } else {
      if rect == nil { throw ValidationError("--rect, --from, --after or --since is needed") }
      if isOfItems { throw ValidationError("--count and --backward go with --from") }
    }
  }

  private var isOfItems: Bool { from != nil || count != nil || backward }

  /// A token says all; what stands next to it must say the same.
  private func validate(_ after: Continuation) throws {
    if let rect, !after.goesOn(in: rect, visible: visible) {
      throw ValidationError("--after goes on with another rectangle; it needs none beside it")
    }
    if rect == nil && visible != nil || from != nil || backward
      || asLaidOut && !after.isAsLaidOut
    {
      throw ValidationError("--after stands alone: the token says what it goes on with")
    }
    if limit != nil && count != nil { throw ValidationError("--limit and --count say the same") }
  }

  func run() throws {
    let isJSON = output.json
    try database.withCache { cache in
      let id = try id(in: cache)
      if let since {
        return try cache.changes(of: id.dataset, since: since, layout: id.layout, in: rect)
          .print(asJSON: isJSON)
      }
      var output = QueryOutput(isJSON: isJSON, explains: explain)
      try cache.forEachPage(of: query, in: id, withData: data) { try output.add($0, $1, $2) }
      try output.finish()
    }
  }

  /// The layout: as is stated; else the token's, or the only one.
  private func id(in cache: LayoutCache) throws -> LayoutID {
    guard let after else { return try layout.id(in: cache) }
    return LayoutID(
      layout.layout ?? after.layout.layout,
      of: layout.datasetOption.dataset ?? after.layout.dataset)
  }

  private var query: ElementsQuery {
    if let after { return .after(after, limit: limit ?? count) }
    if let from { return .items(from: .text(from), count: count ?? .max, backward: backward) }
    guard let rect else { preconditionFailure("a query that is run has been validated") }
    if asLaidOut { return .asLaidOut(rect, limit: limit ?? .max) }
    return .rect(rect, visible: visible, limit: limit ?? .max)
  }
}

/// Reads the token of an answer that was cut by its limit.
private func continuation(_ token: String) throws -> Continuation {
  guard let continuation = Continuation(token: token) else {
    throw ValidationError("it is not the \"next\" of an answer")
  }
  return continuation
}
