import CollectionLayout
import Hummingbird
import LayoutCache
import LayoutGeometry
import TextFormats

/// What is visible.
enum Elements {
  /// The elements of a rectangle, or of several of one revision; a run of items; or what comes
  /// after an earlier answer.
  @Sendable static func query(_ exchange: Exchange) async throws -> Response {
    let query = exchange.query
    if query.has("since") { return try await changes(exchange) }
    let queries = try queries(query, exchange.service.configuration.limits)
    let withData = try query.flag("data")
    let type = try exchange.preferred(of: ["application/json", BinaryAnswer.type])
    let isBinary = type == BinaryAnswer.type
    let representation = (isBinary ? "binary" : "json") + (withData ? "-data" : "")
    let answer: @Sendable (LayoutSnapshot, Int, BegunAnswer?) throws -> Response = {
      snapshot, elementsMax, begun in
      try exchange.validated(snapshot, representation: representation) {
        var answer = begun?.continued(in: snapshot) ?? BegunAnswer(of: snapshot)
        guard try answer.add(queries, from: snapshot, elementsMax: elementsMax) else {
          throw answer
        }
        let pages = answer.pages
        let data = withData ? try pages.map { try snapshot.data(of: $0.elements) } : nil
        if isBinary {
          return exchange.answer(type: type, BinaryAnswer.bytes(snapshot, pages, data: data))
        }
        return exchange.json { QueryAnswer.write(snapshot, pages, data: data, to: &$0) }
      }
    }
    do {
      return try await exchange.read(exchange.layout, mayWait: query.has("after")) {
        try answer($0, elementsHereMax, nil)
      }
    } catch let begun as BegunAnswer {
      return try await exchange.read(exchange.layout, mayWait: true) {
        try answer($0, .max, begun)
      }
    }
  }

  /// The most elements that are found on Swift's own threads: to find and write them takes half a
  /// millisecond, in which no other request is answered there. The cache's threads continue a
  /// longer answer.
  static let elementsHereMax = 1024

  /// What the query asks for: several rectangles, or one thing.
  private static func queries(
    _ query: QueryItems, _ limits: ServiceLimits
  ) throws -> [ElementsQuery] {
    let rects = try query.rects("rect")
    let visible = try query.rect("visible")
    let limit = try query.int("limit", in: 1...limits.elementsMax)
    let count = try query.int("count", in: 1...limits.elementsMax)
    let backward = try query.flag("backward")
    let isAsLaidOut = try query.flag("asLaidOut")
    if isAsLaidOut, visible != nil || query.has("from") {
      throw Problem(.badRequest, "'asLaidOut' goes with 'rect' and without 'visible'")
    }
    if let token = query["after"] {
      let after = try continuation(token)
      guard rects.count <= 1, !query.has("from"), !query.has("backward"),
        after.isAsLaidOut || !isAsLaidOut,
        rects.first.map({ after.goesOn(in: $0, visible: visible) }) ?? (visible == nil)
      else {
        throw Problem(
          .badRequest, "'after' stands alone: the token says what it goes on with")
      }
      // A token of another service, with another limit, may be one of a longer answer.
      return [.after(after, limit: limit ?? count ?? after.limit(upTo: limits.elementsMax))]
    }
    if let from = query["from"] {
      guard rects.isEmpty, visible == nil, limit == nil else {
        throw Problem(.badRequest, "'from' goes with 'count' and 'backward', not with a rectangle")
      }
      return [
        .items(from: .text(from), count: count ?? limits.elementsMax, backward: backward)
      ]
    }
    if count != nil || query.has("backward") {
      throw Problem(.badRequest, "'count' and 'backward' go with 'from'")
    }
    if rects.isEmpty {
      throw Problem(.badRequest, "the query says with 'rect', 'from' or 'after' what it asks for")
    }
    if rects.count > limits.rectsMax {
      throw Problem(.tooMuch, "a query has at most \(limits.rectsMax) rectangles")
    }
    if isAsLaidOut { return rects.map { .asLaidOut($0, limit: limit ?? limits.elementsMax) } }
    return rects.map { .rect($0, visible: visible, limit: limit ?? limits.elementsMax) }
  }

  /// A picture of a rectangle.
  @Sendable static func picture(_ exchange: Exchange) async throws -> Response {
    guard let rect = try exchange.query.rect("rect"), !rect.isEmpty else {
      throw Problem(.badRequest, "the query says with 'rect' what to draw, and that is not empty")
    }
    let type = try exchange.preferred(of: ["image/svg+xml"])
    return try await exchange.read(exchange.layout) { snapshot in
      try exchange.validated(snapshot, representation: "svg") {
        do {
          return exchange.answer(type: type, Array(try Picture(of: rect, in: snapshot).svg.utf8))
        } catch is Picture.TooManyElements {
          throw Problem(
            .tooMuch, "the rectangle holds more than \(Picture.elementsMax) elements")
        }
      }
    }
  }

  /// What has changed since a revision, in the dataset and in the layout; as far as the
  /// layout goes in a rectangle, if there is one.
  private static func changes(_ exchange: Exchange) async throws -> Response {
    let query = exchange.query
    let since = try query.revision("since") ?? 0
    // A pinned answer never changes; this one ends at the present revision.
    try query.refuse(["at"], "goes without 'since'")
    let rect = try query.rect("rect")
    let (cache, layout) = (exchange.cache, exchange.layout)
    let changes = try await exchange.blocking {
      try cache.changes(of: layout.dataset, since: since, layout: layout.layout, in: rect)
    }
    var response = exchange.json { changes.write(to: &$0) }
    response.headers[.revision] = String(changes.revision)
    return response
  }

  /// The topmost element at a point; `null` where there is none.
  @Sendable static func topmost(_ exchange: Exchange) async throws -> Response {
    guard let point = try exchange.query.point("point") else {
      throw Problem(.badRequest, "the query says with 'point' where")
    }
    let visible = try exchange.query.rect("visible")
    return try await exchange.read(exchange.layout) { snapshot in
      try exchange.validated(snapshot, representation: "json") {
        let element = try snapshot.element(at: point, visible: visible)
        return exchange.json { json in
          if let element {
            json.value(element, LayoutAttributes.fieldsInDetail)
          } else {
            json.null()
          }
        }
      }
    }
  }

  private static func continuation(_ token: String) throws -> Continuation {
    guard let continuation = Continuation(token: token) else {
      throw Problem(.badRequest, "'after' is the \"next\" of an answer")
    }
    return continuation
  }
}

extension Exchange {
  /// Runs `body` on a layout that is up to date: here, where that is in memory, else where it
  /// keeps nobody waiting.
  ///
  /// - Parameter mayWait: Whether `body` may take long, such as to read the log.
  func read(
    _ layout: LayoutID, mayWait: Bool = false,
    _ body: @escaping @Sendable (LayoutSnapshot) throws -> Response
  ) async throws -> Response {
    guard mayWait else { return try await cache.performRead(layout, body: body) }
    return try await blocking { try cache.read(layout, body) }
  }
}
