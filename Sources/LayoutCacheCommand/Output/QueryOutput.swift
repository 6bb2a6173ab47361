import CollectionLayout
import LayoutCache
import TextFormats

/// Prints the answer to a query page by page, to bound memory.
struct QueryOutput {
  private let isJSON: Bool
  /// Whether to print the cost of the query.
  private let explains: Bool

  private var output = StandardOutput()
  private var json = JSONWriter()
  private let style = TextStyle.of()
  private var count = 0
  private var work: QueryWork?
  private var next: Continuation?
  private var snapshot: LayoutSnapshot?
  private let start = ContinuousClock.now

  init(isJSON: Bool, explains: Bool) {
    (self.isJSON, self.explains) = (isJSON, explains)
  }

  /// Prints a page. Without JSON, each page is a table with headings.
  mutating func add(
    _ snapshot: LayoutSnapshot, _ page: ElementsPage, _ data: ElementsData?
  ) throws {
    if isJSON {
      if self.snapshot == nil {
        json.beginAnswer(of: snapshot, hints: true)
        json.member("elements")
        json.beginArray()
      }
      json.values(of: page.elements, data)
      try output.write(json.takeBytes())
    } else if !page.elements.isEmpty {
      try output.write(Table(page.elements(with: data), ElementAnswer.fields).lines(style))
    }
    self.snapshot = snapshot
    count += page.elements.count
    next = page.next
    work = work.map { $0 + page.work } ?? page.work
  }

  /// Prints the end of the answer.
  mutating func finish() throws {
    guard let snapshot, let work else { return }
    let duration = start.duration(to: .now)
    if isJSON {
      json.endArray()
      json.optionalMember("next", next?.token)
      if explains { json.explain(work, duration) }
      json.endObject()
      assert(json.isComplete)
      try output.write(json.takeBytes())
      try output.writeLine("")
    } else {
      try output.writeLine(
        style.note(
          """
          \(plural(count, "element")) at revision \(snapshot.revision); the content is \
          \(snapshot.contentSize.width) x \(snapshot.contentSize.height) points
          """))
      for hint in snapshot.hints { try output.writeLine(style.note(hint)) }
      if let next {
        let view = snapshot.isOfView ? ", with the same --where, --order or --view" : ""
        try output.writeLine(style.note("there are more: --after \(next.token)\(view)"))
      }
      if explains {
        try output.writeLine(
          style.note(
            """
            \(plural(work.nodesVisited, "node")) visited, \(work.nodesLoaded) read from the \
            file, \(plural(work.cacheHits, "cache hit")), \(duration.wholeMicroseconds) \
            microseconds
            """))
      }
    }
    try output.flush()
  }
}
