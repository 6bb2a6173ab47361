import CollectionLayout
import Hummingbird
import LayoutCache
import LayoutGeometry
import TextFormats

/// What is visible.
enum Elements {
  /// The elements of a rectangle, or of several of one revision.
  @Sendable static func query(_ exchange: Exchange) async throws -> Response {
    let query = exchange.query
    if query.has("since") { return try await changes(exchange) }
    let limits = exchange.service.configuration.limits
    let rects = try query.rects("rect")
    if rects.isEmpty { throw Problem(.badRequest, "the query says with 'rect' what is visible") }
    if rects.count > limits.rectsMax {
      throw Problem(.tooMuch, "a query has at most \(limits.rectsMax) rectangles")
    }
    let limit = try query.int("limit", in: 1...limits.elementsMax) ?? limits.elementsMax
    let visible = try query.rect("visible")
    let after = try query["after"].map(continuation)
    if after != nil && rects.count > 1 {
      throw Problem(.badRequest, "'after' goes on with one rectangle")
    }
    let type = try exchange.preferred(of: ["application/json", BinaryAnswer.type])
    let isBinary = type == BinaryAnswer.type
    return try await exchange.read(exchange.layout) { snapshot in
      try exchange.validated(snapshot, representation: isBinary ? "binary" : "json") {
        let pages = try rects.map {
          try snapshot.elements(in: $0, visible: visible, limit: limit, from: after)
        }
        if isBinary { return exchange.answer(type: type, BinaryAnswer.bytes(snapshot, pages)) }
        return exchange.json { QueryAnswer.write(snapshot, pages, to: &$0) }
      }
    }
  }

  /// What has changed since a revision, in the dataset and in the layout; as far as the
  /// layout goes in a rectangle, if there is one.
  private static func changes(_ exchange: Exchange) async throws -> Response {
    let query = exchange.query
    let since = try query.int("since", in: 0...Int.max) ?? 0
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
  func read(
    _ layout: LayoutID, _ body: @escaping @Sendable (LayoutSnapshot) throws -> Response
  ) async throws -> Response {
    try await cache.read(layout, body: body)
  }
}
