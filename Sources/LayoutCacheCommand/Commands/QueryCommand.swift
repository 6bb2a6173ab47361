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
      to date first where it is behind its dataset.

      With --since it prints what has become of sections and items since a revision, and what to \
      look at again in the layout: of a rectangle the sections that meet it. Where the log does \
      not reach back that is everything.

      Examples:
        layoutcache query --layout phone --rect 0,0,390,844
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
    help: ArgumentHelp("Print what has changed since a revision", valueName: "revision"))
  var since: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The visible bounds, to which headers and footers are pinned (default: the rectangle)",
      valueName: "x,y,width,height"),
    transform: Rect.init(argument:))
  var visible: Rect?

  @Option(
    parsing: .unconditional, help: "How many elements to print at most (default: all)")
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
    if let limit, limit < 1 { throw ValidationError("--limit is at least 1") }
    guard let since else {
      if rect == nil { throw ValidationError("--rect or --since is needed") }
      return
    }
    if since < 0 { throw ValidationError("--since is at least 0") }
    if visible != nil || limit != nil || after != nil || data || explain {
      throw ValidationError("--since goes with --rect alone")
    }
  }

  func run() throws {
    if let since {
      return try database.withCache { cache in
        let id = try layout.id(in: cache)
        return try cache.changes(of: id.dataset, since: since, layout: id.layout, in: rect)
      }.print(asJSON: output.json)
    }
    guard let rect else { return }
    let answer = try database.withCache { cache in
      try cache.read(layout.id(in: cache)) { snapshot in
        let start = ContinuousClock.now
        let page = try snapshot.elements(
          in: rect, visible: visible, limit: limit ?? .max, from: after)
        let data = data ? try snapshot.data(of: page.elements) : nil
        return QueryAnswer(
          snapshot: snapshot, page: page, data: data, duration: start.duration(to: .now))
      }
    }
    if output.json {
      try StandardOutput.printJSON { answer.write(to: &$0, explains: explain) }
    } else {
      try printTable(answer)
    }
  }

  private func printTable(_ answer: QueryAnswer) throws {
    let style = TextStyle.of()
    var output = StandardOutput()
    if !answer.page.elements.isEmpty {
      try output.write(Table(answer.elements, ElementAnswer.fields).lines(style))
    }
    try output.writeLine(
      style.note(
        """
        \(plural(answer.page.elements.count, "element")) at revision \(answer.snapshot.revision); \
        the content is \(answer.snapshot.contentSize.width) x \
        \(answer.snapshot.contentSize.height) points
        """))
    if let next = answer.page.next {
      try output.writeLine(style.note("there are more: --after \(next.token)"))
    }
    if explain {
      let work = answer.work
      try output.writeLine(
        style.note(
          """
          \(plural(work.nodesVisited, "node")) visited, \(work.nodesLoaded) read from the file, \
          \(plural(work.cacheHits, "cache hit")), \(answer.microseconds) microseconds
          """))
    }
    try output.flush()
  }
}

/// Reads the token of an answer that was cut by its limit.
private func continuation(_ token: String) throws -> Continuation {
  guard let continuation = Continuation(token: token) else {
    throw ValidationError("it is not the \"next\" of an answer")
  }
  return continuation
}
