import CollectionLayout
import Hummingbird
import LayoutCache
import LayoutGeometry
import TextFormats

/// What a client asks for that scrolls, turns, animates and drags: each answer follows from what
/// is stored, and nothing is kept of the question.
enum Interaction {
  /// How what a client shows becomes what it is to show: the layout as it was at a revision, or
  /// is now, and it or another layout of the dataset now.
  @Sendable static func transition(_ exchange: Exchange) async throws -> Response {
    let query = exchange.query
    guard let rect = try query.rect("rect") else {
      throw Problem(.badRequest, "the query says with 'rect' what is visible")
    }
    let finalRect = try query.rect("finalRect")
    let elementsMax = exchange.service.configuration.limits.elementsMax
    return try await exchange.answerBetween { first, last in
      do {
        return try first.transition(
          to: last, in: rect, becoming: finalRect, limit: elementsMax)
      } catch let error as LayoutCacheError {
        guard case .limit = error.code else { throw error }
        throw Problem(
          .tooMuch, "a rectangle shows more than \(elementsMax) elements, which is the limit")
      }
    } write: { transition, json in
      json.member("everything", transition == nil)
      transition?.writeMembers(to: &json)
    }
  }

  /// Where a client is to scroll so that the first cell that it shows stays where it is.
  @Sendable static func anchor(_ exchange: Exchange) async throws -> Response {
    guard let visible = try exchange.query.rect("visible") else {
      throw Problem(.badRequest, "the query says with 'visible' what is visible")
    }
    let size = try exchange.query.size("size")
    return try await exchange.answerBetween { first, last in
      try last.contentOffset(keeping: visible, of: first, visibleSize: size)
    } write: { found, json in
      let offset = found ?? nil
      json.member("everything", found == nil)
      json.member("contentOffset", offset?.contentOffset)
      json.optionalMember("key", offset?.key)
      json.optionalMember("exact", offset?.exact)
    }
  }

  /// Where scrolling comes to rest that would come to rest at an offset.
  @Sendable static func targetOffset(_ exchange: Exchange) async throws -> Response {
    guard let offset = try exchange.query.point("offset") else {
      throw Problem(.badRequest, "the query says with 'offset' where scrolling would end")
    }
    let start = try exchange.query.point("from")
    let velocity = try exchange.query.number("velocity") ?? 0
    let size = try exchange.query.size("size")
    return try await exchange.answer { snapshot, json in
      json.member(
        "contentOffset",
        try snapshot.targetContentOffset(
          forProposed: offset, from: start, velocity: velocity, visibleSize: size))
    }
  }

  /// What another size of the container makes of the layout.
  @Sendable static func boundsChange(_ exchange: Exchange) async throws -> Response {
    guard let size = try exchange.query.size("size") else {
      throw Problem(.badRequest, "the query says with 'size' what the container becomes")
    }
    return try await exchange.answer { snapshot, json in
      let context = try snapshot.invalidationContext(forBoundsChange: size)
      json.member("invalidates", !context.isEmpty)
      json.member("context")
      json.value(context, InvalidationContext.fields)
    }
  }

  /// More items don't fit into a request's line.
  private static let keysMax = 100

  /// The order that dragging items to a point results in; from the target of the answer before,
  /// if the query has that, so that a drag settles as one in the library does.
  @Sendable static func movement(_ exchange: Exchange) async throws -> Response {
    let query = exchange.query
    let keys = query.all("key")
    guard !keys.isEmpty, let point = try query.point("point") else {
      throw Problem(.badRequest, "the query says with 'key' what moves, and with 'point' where to")
    }
    if keys.count > keysMax {
      throw Problem(.tooMuch, "a movement has at most \(keysMax) items")
    }
    let (rect, visible) = (try query.rect("rect"), try query.rect("visible"))
    let current = try query.indexPath("current")
    // What is moved is followed as a commit follows it, to a section's end at the worst.
    return try await exchange.answer(mayWait: true) { snapshot, json in
      var movement = try snapshot.beginMovement(of: keys, at: current)
      try movement.update(to: point, visible: visible)
      try movement.writeMembers(showing: rect, visible: visible, to: &json)
    }
  }
}

extension Exchange {
  /// Answers from the layout that the path names.
  ///
  /// - Parameters:
  ///   - mayWait: As for ``read(_:mayWait:_:)``.
  ///   - write: Appends what is asked for after what the answer is of.
  fileprivate func answer(
    mayWait: Bool = false,
    _ write: @escaping @Sendable (LayoutSnapshot, inout JSONWriter) throws -> Void
  ) async throws -> Response {
    try await read(layout, mayWait: mayWait) { snapshot in
      try validated(snapshot, representation: "json") {
        try json { json in
          json.beginAnswer(of: snapshot)
          try write(snapshot, &json)
          json.endObject()
        }
      }
    }
  }

  /// Answers from the layout that the path names, as it was at the revision `since` where the
  /// query has one, and from the layout `to`, or the same one, as it is now.
  ///
  /// - Parameters:
  ///   - find: Finds out what is asked for.
  ///   - write: Appends that after what the answer is of, the layout as it is now; it is `nil`
  ///     where the layout is no longer known as it was.
  fileprivate func answerBetween<Found>(
    _ find: @escaping @Sendable (_ first: LayoutSnapshot, _ last: LayoutSnapshot) throws -> Found,
    write: @escaping @Sendable (Found?, inout JSONWriter) -> Void
  ) async throws -> Response {
    let since = try query.revision("since")
    let (cache, layout, other) = (cache, layout, query["to"])
    return try await blocking {
      try cache.read(from: layout, since: since, to: other) { first, last in
        let found = try first.map { try find($0, last) }
        var response = json { json in
          json.beginAnswer(of: last)
          json.optionalMember("since", since)
          write(found, &json)
          json.endObject()
        }
        response.headers[.revision] = String(last.revision)
        return response
      }
    }
  }
}
