import CollectionLayout
import Hummingbird
import LayoutCache
import LayoutGeometry
import TextFormats

/// Handlers for clients that scroll, rotate, animate and drag. Each answer follows from the
/// stored state; no state of the interaction is stored.
enum Interaction {
  /// Returns the transition from the attributes that a client shows to those it must show: from the
  /// layout, at an earlier revision or now, to the same or another layout of the dataset now.
  @Sendable static func transition(_ request: ServiceRequest) async throws -> Response {
    let query = request.query
    guard let rect = try query.rect(.rect) else {
      throw Problem(.badRequest, "'rect' is required: the visible rectangle")
    }
    let finalRect = try query.rect(.finalRect)
    let offsets = try query.carouselOffsets() ?? CarouselOffsets()
    let finalOffsets = try query.carouselOffsets(.finalOffset) ?? offsets
    return try await request.answerBetween { first, last in
      try request.limitingElements {
        try first.scrolled(to: offsets).transition(
          to: last.scrolled(to: finalOffsets), in: rect, becoming: finalRect, limit: $0)
      }
    } write: { transition, json in
      json.member("everything", transition == nil)
      transition?.writeMembers(to: &json)
    }
  }

  /// Returns the content offset that keeps the first visible cell, or the content's end, in its
  /// position.
  @Sendable static func anchor(_ request: ServiceRequest) async throws -> Response {
    guard let visible = try request.query.rect(.visible) else {
      throw Problem(.badRequest, "'visible' is required: the visible rectangle")
    }
    let size = try request.query.size(.size)
    let anchor = try request.query.choice(.anchor, of: OffsetAnchor.self) ?? .cell
    let offsets = try request.query.carouselOffsets() ?? CarouselOffsets()
    return try await request.answerBetween { first, last in
      try last.contentOffset(
        keeping: visible, of: first.scrolled(to: offsets), visibleSize: size, anchor: anchor)
    } write: { found, json in
      let offset = found ?? nil
      json.member("everything", found == nil)
      json.member("contentOffset", offset?.contentOffset)
      json.optionalMember("key", offset?.key)
      json.optionalMember("exact", offset?.exact)
    }
  }

  /// Returns the offset at which scrolling should rest, for a proposed offset: of the content, or
  /// of a carousel.
  @Sendable static func targetOffset(_ request: ServiceRequest) async throws -> Response {
    if let section = request.query[.section] {
      return try await targetCarouselOffset(request, section: section)
    }
    guard let offset = try request.query.point(.offset) else {
      throw Problem(.badRequest, "'offset' is required: the proposed content offset")
    }
    let start = try request.query.point(.from)
    let velocity = try request.query.velocity() ?? .zero
    let size = try request.query.size(.size)
    return try await request.respond { snapshot, json in
      json.member(
        "contentOffset",
        try snapshot.targetContentOffset(
          forProposed: offset, from: start, velocity: velocity, visibleSize: size))
    }
  }

  /// Returns the offset at which scrolling a carousel should rest.
  private static func targetCarouselOffset(
    _ request: ServiceRequest, section: String
  ) async throws -> Response {
    let query = request.query
    try query.refuse([.size], "cannot be combined with 'section'")
    guard let offset = try query.length(.offset) else {
      throw Problem(.badRequest, "'offset' is required: the proposed offset of the carousel")
    }
    let start = try query.length(.from)
    let velocity = try query.number(.velocity) ?? 0
    return try await request.respond { snapshot, json in
      let target = try snapshot.sectionIndex(forKey: section).flatMap {
        try snapshot.targetCarouselOffset(
          inSection: $0, forProposed: offset, from: start, velocity: velocity)
      }
      guard let target else {
        throw Problem(
          .notFound,
          "layout '\(excerpt(snapshot.layout.layout))' has no carousel '\(excerpt(section))'")
      }
      json.member("carouselOffset", target)
    }
  }

  /// The maximum number of keys: more do not fit into a request line.
  private static let keysMax = 100

  /// Returns the order that results from dragging items to a point. With the target of the
  /// previous answer in the query, a drag settles like one in the library.
  @Sendable static func movement(_ request: ServiceRequest) async throws -> Response {
    let query = request.query
    let keys = query.all(.key)
    guard !keys.isEmpty, let point = try query.point(.point) else {
      throw Problem(
        .badRequest, "'key' and 'point' are required: the moved items and their position")
    }
    if keys.count > keysMax {
      throw Problem(.contentTooLarge, "a movement can have at most \(keysMax) items")
    }
    let (rect, visible) = (try query.rect(.rect), try query.rect(.visible))
    let current = try query.indexPath(.current)
    let offsets = try query.carouselOffsets() ?? CarouselOffsets()
    // Moved items are updated as by a commit, in the worst case to the end of a section.
    return try await request.respond(mayWait: true) { snapshot, json in
      var movement = try snapshot.scrolled(to: offsets).beginMovement(of: keys, at: current)
      try movement.update(to: point, visible: visible)
      try request.limitingElements {
        try movement.writeMembers(showing: rect, visible: visible, limit: $0, to: &json)
      }
    }
  }
}

extension ServiceRequest {
  /// Runs `body`, which finds all elements of rectangles, with the maximum number of elements.
  fileprivate func limitingElements<R>(_ body: (_ elementsMax: Int) throws -> R) throws -> R {
    let elementsMax = service.configuration.limits.elementsMax
    do {
      return try body(elementsMax)
    } catch let error as LayoutCacheError {
      guard case .limit = error.code else { throw error }
      throw Problem(
        .contentTooLarge, "a rectangle contains more than \(elementsMax) elements, the limit")
    }
  }

  /// Answers from the layout named in the path.
  ///
  /// - Parameters:
  ///   - mayWait: As for ``read(_:mayWait:_:)``.
  ///   - write: Appends the answer's members after those that identify the state.
  fileprivate func respond(
    mayWait: Bool = false,
    _ write: @escaping @Sendable (LayoutSnapshot, inout JSONWriter) throws -> Void
  ) async throws -> Response {
    try await read(layout, mayWait: mayWait) { snapshot in
      try validated(snapshot, representation: "json") {
        try json { json in
          json.beginAnswer(of: snapshot)
          try write(snapshot, &json)
          json.endObject()
          if json.isCut {
            throw Problem(
              .contentTooLarge, "the answer has more than \(answerBytesMax) bytes, the limit")
          }
        }
      }
    }
  }

  /// Answers from two states: the layout named in the path, at the revision `since` if the
  /// query has one, and the layout `to`, or the same one, now.
  ///
  /// - Parameters:
  ///   - find: Computes the answer.
  ///   - writeFound: Appends the answer after the members that identify the current state. The
  ///     answer is `nil` if the earlier state of the layout is no longer known, or if it would be
  ///     too long.
  fileprivate func answerBetween<Found>(
    _ find: @escaping @Sendable (_ first: LayoutSnapshot, _ last: LayoutSnapshot) throws -> Found,
    write writeFound: @escaping @Sendable (Found?, inout JSONWriter) -> Void
  ) async throws -> Response {
    let since = try query.revision(.since)
    let (cache, layout, other, direction, view) = (cache, layout, query[.to], direction, view)
    let layouts = [layout] + (other.map { [LayoutID($0, of: dataset)] } ?? [])
    return try await blocking(on: layouts) {
      try cache.read(from: layout, since: since, to: other, showing: view) { first, last in
        let last = last.reading(direction)
        let found = try first.map { try find($0.reading(direction), last) }
        func write(_ found: Found?, to json: inout JSONWriter) {
          json.beginAnswer(of: last)
          json.optionalMember("since", since)
          writeFound(found, &json)
          json.endObject()
        }
        let bytes = JSONWriter.bytes(upTo: answerBytesMax) {
          write(found, to: &$0)
        } else: {
          write(nil, to: &$0)
        }
        var response = respond(type: "application/json", bytes)
        response.headers[.revision] = String(last.revision)
        return response
      }
    }
  }
}
