import CollectionLayout
import Hummingbird
import LayoutCache
import LayoutGeometry
import NIOCore
import TextFormats

/// Handlers for queries of visible elements.
enum Elements {
  /// Returns the elements of one or several rectangles at one revision, a run of items, or the
  /// continuation of an earlier answer.
  @Sendable static func query(_ request: ServiceRequest) async throws -> Response {
    let query = request.query
    if query.has(.since) { return try await changes(request) }
    let type = try request.preferred(of: ["application/json"])
    // A continuation may depend on the log too.
    let key = query.has(.after) ? nil : request.answerKey
    if let key, let known = try request.knownAnswer(to: key) { return known }
    let limits = request.service.configuration.limits
    let (queries, offsets) = try queries(request, limits)
    let withData = try query.flag(.data)
    let representation = "json" + (withData ? "-data" : "")
    let answer: @Sendable (LayoutSnapshot, Int, BegunAnswer?) throws -> Response = {
      snapshot, elementsMax, begun in
      let validator = Validator(snapshot, representation: representation)
      return try request.validated(validator) {
        var answer = begun?.continued(in: snapshot) ?? BegunAnswer(of: snapshot)
        let isComplete = try answer.add(
          queries, from: snapshot, elementsMax: elementsMax, answerMax: limits.elementsMax)
        guard isComplete else { throw answer }
        let body = request.encoded(
          type: type,
          try QueryAnswer.bytes(
            snapshot, answer.pages, of: queries, withData: withData,
            bytesMax: request.answerBytesMax, hints: !request.caller.isScoped))
        if let key {
          request.service.answers.store(
            AnswerCache.Answer(body, from: snapshot, validator), to: key)
        }
        return request.respond(body)
      }
    }
    do {
      return try await request.read(
        request.layout, scrolledTo: offsets, mayWait: query.has(.after)
      ) { try answer($0, elementsHereMax, nil) }
    } catch let begun as BegunAnswer {
      return try await request.read(request.layout, scrolledTo: offsets, mayWait: true) {
        try answer($0, .max, begun)
      }
    }
  }

  /// Returns the elements as they would be after a batch or with another configuration, or as they
  /// were at a revision. Nothing is stored.
  @Sendable static func preview(_ request: ServiceRequest) async throws -> Response {
    let (query, limits) = (request.query, request.service.configuration.limits)
    let type = try request.preferred(of: ["application/json"])
    let (queries, offsets) = try queries(request, limits)
    let (withData, visible) = (try query.flag(.data), try query.rect(.visible))
    if visible == nil && query.has(.anchor) {
      throw Problem(.badRequest, "'anchor' needs 'visible'")
    }
    let anchor = try query.choice(.anchor, of: OffsetAnchor.self) ?? .cell
    let wanted = try previewRequest(await request.body.collect(bytesMax: PreviewRequest.bytesMax))
    let answer: @Sendable (LayoutSnapshot, Bool) throws -> Response = { snapshot, mayTakePass in
      guard
        let preview = try request.cache.preview(
          wanted, of: snapshot, visible: visible, anchor: anchor, mayTakePass: mayTakePass)
      else { throw TakesPass() }
      let shown = preview.snapshot.scrolled(to: offsets).reading(request.direction)
      var answer = BegunAnswer(of: shown)
      _ = try answer.add(queries, from: shown, elementsMax: .max, answerMax: limits.elementsMax)
      var response = request.respond(
        type: type,
        try QueryAnswer.bytes(
          shown, answer.pages, of: queries, withData: withData,
          bytesMax: request.answerBytesMax, commit: preview.commit))
      response.headers[.revision] = String(shown.revision)
      return response
    }
    do {
      return try await request.read(request.layout, mayWait: true) { try answer($0, false) }
    } catch is TakesPass {
      let place = try request.place(of: request.service.passPlaces)
      defer { withExtendedLifetime(place) {} }
      return try await request.read(request.layout, mayWait: true) { try answer($0, true) }
    }
  }

  /// The error thrown if a preview takes a pass over its dataset, of which few run at once.
  private struct TakesPass: Error {}

  private static func previewRequest(_ body: ByteBuffer) throws -> PreviewRequest {
    let text = try body.text
    do {
      return try PreviewRequest(text: text)
    } catch var error as ConfigurationError {
      // Its place is that in the member.
      error.place = nil
      throw error
    } catch let problem as RecordProblem {
      throw Problem(.invalidOperation, problem.message)
    }
  }

  /// The maximum number of elements read on Swift's cooperative threads. Reading and writing
  /// them takes half a millisecond, which delays other requests there. The cache's threads
  /// continue a longer answer.
  static let elementsHereMax = 1024

  /// Returns the requested queries, several rectangles or a single query of another kind, and the
  /// scroll positions of carousels.
  private static func queries(
    _ request: ServiceRequest, _ limits: ServiceLimits
  ) throws -> ([ElementsQuery], CarouselOffsets) {
    let query = request.query
    var elements = ElementsRequest()
    elements.rects = try query.rects(.rect)
    elements.visible = try query.rect(.visible)
    elements.asLaidOut = try query.flag(.asLaidOut)
    elements.limit = try query.int(.limit, in: 1...limits.elementsMax)
    elements.from = query[.from]
    elements.count = try query.int(.count, in: 1...limits.elementsMax)
    if query.has(.backward) { elements.backward = try query.flag(.backward) }
    elements.after = try query[.after].map(continuation)
    if query.takes(.since) { elements.since = try query.revision(.since) }
    elements.offsets = try query.carouselOffsets()
    elements.direction = request.direction
    if query.has(.data) { elements.others.insert(.data) }
    if query.takes(.at), query.has(.at) { elements.others.insert(.at) }
    if elements.rects.count > limits.rectsMax {
      throw Problem(.contentTooLarge, "a query can have at most \(limits.rectsMax) rectangles")
    }
    let distinct = Set(elements.rects.filter { !$0.isEmpty })
    if distinct.count < elements.rects.count(where: { !$0.isEmpty }) {
      throw Problem(.badRequest, "'rect' states a rectangle twice")
    }
    do {
      return (
        try elements.queries(limitMax: limits.elementsMax), elements.offsets ?? CarouselOffsets()
      )
    } catch {
      throw Problem(.badRequest, error.description { "'\($0.rawValue)'" })
    }
  }

  /// Returns the changes since a revision, in the dataset and in the layout; of the layout only
  /// those in `rect`, if the query has one.
  private static func changes(_ request: ServiceRequest) async throws -> Response {
    let query = request.query
    let since = try query.revision(.since) ?? 0
    _ = try queries(request, request.service.configuration.limits)
    let rects = try query.rects(.rect)
    if rects.count > 1 { throw Problem(.badRequest, "'since' takes one 'rect'") }
    let (cache, layout, rect) = (request.cache, request.layout, rects.first)
    try await request.readyInMemory(layout)
    let changes = try await request.blocking {
      if let view = request.view {
        return try cache.changes(
          of: layout, since: since, in: rect, direction: request.direction, showing: view)
      }
      return try cache.changes(
        of: layout.dataset, since: since, layout: layout.layout, in: rect,
        direction: request.direction)
    }
    var response = request.respond(
      type: "application/json", changes.json(bytesMax: request.answerBytesMax))
    response.headers[.revision] = String(changes.revision)
    return response
  }

  /// Returns the topmost element at a point; `null` if there is none.
  @Sendable static func topmost(_ request: ServiceRequest) async throws -> Response {
    guard let point = try request.query.point(.point) else {
      throw Problem(.badRequest, "'point' is required")
    }
    let visible = try request.query.rect(.visible)
    let offsets = try request.query.carouselOffsets()
    return try await request.read(request.layout, scrolledTo: offsets) { snapshot in
      try request.validated(snapshot, representation: "json") {
        let element = try snapshot.element(at: point, visible: visible)
        return request.json { json in
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
  fileprivate var answerKey: AnswerCache.Key {
    AnswerCache.Key(
      layout, query: http.uri.query ?? "", view: view, acceptsGzip: acceptsGzip,
      hasHints: !caller.isScoped)
  }

  /// Returns the stored answer to a request, if the layout is in memory and still at its state.
  ///
  /// - Throws: As ``validated(_:_:)``; ``LayoutCacheError``: `closed`, `database`.
  fileprivate func knownAnswer(to key: AnswerCache.Key) throws -> Response? {
    guard let answer = service.answers.answer(to: key),
      try cache.readIfWarm(layout, showing: view, { answer.isCurrent(in: $0) }) == true
    else { return nil }
    service.metrics.countStoredAnswer()
    return try validated(answer.validator) { respond(answer.body) }
  }

  /// Runs `body` on an up-to-date layout in the request's direction: on the current thread if the
  /// layout is in memory, else on the cache's threads, where it does not delay other requests.
  ///
  /// - Parameters:
  ///   - offsets: The scroll positions of carousels; `nil` for none.
  ///   - mayWait: Whether `body` may take long, such as to read the log.
  func read(
    _ layout: LayoutID, scrolledTo offsets: CarouselOffsets? = nil, mayWait: Bool = false,
    _ body: @escaping @Sendable (LayoutSnapshot) throws -> Response
  ) async throws -> Response {
    let (direction, offsets) = (direction, offsets ?? CarouselOffsets())
    let unscrolledBody = body
    let body: @Sendable (LayoutSnapshot) throws -> Response = {
      try unscrolledBody($0.scrolled(to: offsets).reading(direction))
    }
    if !mayWait, let answer = try cache.readIfWarm(layout, showing: view, body) { return answer }
    try await ready(layout)
    guard mayWait || view != nil else { return try await cache.performRead(layout, body: body) }
    return try await blocking { try cache.read(layout, showing: view, body) }
  }

  /// Waits until a layout is up to date.
  ///
  /// - Throws: As ``Preparations/wait(for:_:)``.
  private func ready(_ layout: LayoutID) async throws {
    let cache = cache
    if try cache.readIfWarm(layout, showing: view, { _ in }) != nil { return }
    var shown = view
    if try await isTemporary(layout) {
      shown = view ?? .whole
    } else if try cache.readIfWarm(layout, { _ in }) == nil {
      try await service.preparations.wait(for: .read(layout)) {
        try await cache.performRead(layout) { _ in }
      }
    }
    guard let shown else { return }
    if try await blocking({ [shown] in try cache.follow(layout, showing: shown) }) { return }
    try await service.preparations.wait(for: .view(layout, shown)) { [view] in
      let place = try place(of: service.passPlaces)
      defer { withExtendedLifetime(place) {} }
      try await blocking { try cache.read(layout, showing: view) { _ in } }
    }
  }

  /// As ``ready(_:)``, only for a result that is in memory: of a view, or a layout that is not stored.
  func readyInMemory(_ layout: LayoutID) async throws {
    guard view == nil else { return try await ready(layout) }
    if try await isTemporary(layout) { try await ready(layout) }
  }

  private func isTemporary(_ layout: LayoutID) async throws -> Bool {
    guard layout.mayBeVariant || !LayoutCache.mayStoreSizes else { return false }
    return try await blocking { [cache] in try cache.isTemporary(layout) }
  }

  /// As ``blocking(_:)``, for a call that reads layouts: waits until they are up to date before it
  /// occupies a thread.
  func blocking<R: Sendable>(
    on layouts: [LayoutID], _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    for layout in layouts { try await ready(layout) }
    return try await blocking(body)
  }
}
