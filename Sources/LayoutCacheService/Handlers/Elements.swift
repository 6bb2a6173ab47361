import CollectionLayout
import Hummingbird
import LayoutCache
import LayoutGeometry
import TextFormats

/// Handlers for queries of visible elements.
enum Elements {
  /// Returns the elements of one or several rectangles at one revision, a run of items, or the
  /// continuation of an earlier answer.
  @Sendable static func query(_ exchange: ServiceRequest) async throws -> Response {
    let query = exchange.query
    if query.has(.since) { return try await changes(exchange) }
    let queries = try queries(query, exchange.service.configuration.limits)
    let withData = try query.flag(.data)
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
      return try await exchange.read(exchange.layout, mayWait: query.has(.after)) {
        try answer($0, elementsHereMax, nil)
      }
    } catch let begun as BegunAnswer {
      return try await exchange.read(exchange.layout, mayWait: true) {
        try answer($0, .max, begun)
      }
    }
  }

  /// The maximum number of elements read on Swift's cooperative threads. Reading and writing
  /// them takes half a millisecond, which delays other requests there. The cache's threads
  /// continue a longer answer.
  static let elementsHereMax = 1024

  /// Returns the requested queries: several rectangles, or a single query of another kind.
  private static func queries(
    _ query: QueryItems, _ limits: ServiceLimits
  ) throws -> [ElementsQuery] {
    let rects = try query.rects(.rect)
    let visible = try query.rect(.visible)
    let limit = try query.int(.limit, in: 1...limits.elementsMax)
    let count = try query.int(.count, in: 1...limits.elementsMax)
    let backward = try query.flag(.backward)
    let isAsLaidOut = try query.flag(.asLaidOut)
    if isAsLaidOut, visible != nil || query.has(.from) {
      throw Problem(
        .badRequest, "'asLaidOut' requires 'rect' and cannot be combined with 'visible'")
    }
    if let token = query[.after] {
      let after = try continuation(token)
      guard rects.count <= 1, !query.has(.from), !query.has(.backward),
        after.isAsLaidOut || !isAsLaidOut,
        rects.first.map({ after.continues(queryFor: $0, visible: visible) }) ?? (visible == nil)
      else {
        throw Problem(
          .badRequest, "'after' cannot be combined with another query: it contains its own")
      }
      // A token from a service with another limit may belong to a longer answer.
      return [.after(after, limit: limit ?? count ?? after.limit(upTo: limits.elementsMax))]
    }
    if let from = query[.from] {
      guard rects.isEmpty, visible == nil, limit == nil else {
        throw Problem(.badRequest, "'from' cannot be combined with 'rect', 'visible' or 'limit'")
      }
      return [
        .items(from: .text(from), count: count ?? limits.elementsMax, backward: backward)
      ]
    }
    if count != nil || query.has(.backward) {
      throw Problem(.badRequest, "'count' and 'backward' require 'from'")
    }
    if rects.isEmpty {
      throw Problem(.badRequest, "one of 'rect', 'from' and 'after' is required")
    }
    if rects.count > limits.rectsMax {
      throw Problem(.contentTooLarge, "a query can have at most \(limits.rectsMax) rectangles")
    }
    if isAsLaidOut { return rects.map { .asLaidOut($0, limit: limit ?? limits.elementsMax) } }
    return rects.map { .rect($0, visible: visible, limit: limit ?? limits.elementsMax) }
  }

  /// Returns a picture of a rectangle.
  @Sendable static func picture(_ exchange: ServiceRequest) async throws -> Response {
    guard let rect = try exchange.query.rect(.rect), !rect.isEmpty else {
      throw Problem(.badRequest, "'rect' is required: the rectangle to draw, not empty")
    }
    let type = try exchange.preferred(of: ["image/svg+xml"])
    return try await exchange.read(exchange.layout) { snapshot in
      try exchange.validated(snapshot, representation: "svg") {
        do {
          return exchange.answer(type: type, Array(try Picture(of: rect, in: snapshot).svg.utf8))
        } catch is Picture.TooManyElements {
          throw Problem(
            .contentTooLarge, "the rectangle contains more than \(Picture.elementsMax) elements")
        }
      }
    }
  }

  /// Returns the changes since a revision, in the dataset and in the layout; of the layout only
  /// those in `rect`, if the query has one.
  private static func changes(_ exchange: ServiceRequest) async throws -> Response {
    let query = exchange.query
    let since = try query.revision(.since) ?? 0
    // A pinned answer never changes; this one ends at the current revision.
    try query.refuse([.at], "cannot be combined with 'since'")
    let rect = try query.rect(.rect)
    let (cache, layout) = (exchange.cache, exchange.layout)
    let changes = try await exchange.blocking {
      try cache.changes(of: layout.dataset, since: since, layout: layout.layout, in: rect)
    }
    var response = exchange.json { changes.write(to: &$0) }
    response.headers[.revision] = String(changes.revision)
    return response
  }

  /// Returns the topmost element at a point; `null` if there is none.
  @Sendable static func topmost(_ exchange: ServiceRequest) async throws -> Response {
    guard let point = try exchange.query.point(.point) else {
      throw Problem(.badRequest, "'point' is required")
    }
    let visible = try exchange.query.rect(.visible)
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
      throw Problem(.badRequest, "'after' must be the \"next\" of an earlier answer")
    }
    return continuation
  }
}

extension ServiceRequest {
  /// Runs `body` on an up-to-date layout: on the current thread if the layout is in memory,
  /// else on the cache's threads, where it does not delay other requests.
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
