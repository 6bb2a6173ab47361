import HTTPTypes
import Hummingbird
import LayoutCache
import ServiceLifecycle
import TextFormats

/// What becomes of a dataset, as it happens.
enum Events {
  /// The longest time that a request for changes is kept waiting for some, in seconds.
  private static let waitMax = 60
  /// The events that may wait for a client; with one more it starts again.
  private static let queueCountMax = 64

  /// A stream of commits, from the revision after `Last-Event-ID` or `since` on; with `wait`
  /// no stream but the changes since, as soon as there are any.
  @Sendable static func follow(_ exchange: Exchange) async throws -> Response {
    let since = try exchange.query.revision("since")
    if let wait = try exchange.query.int("wait", in: 0...waitMax) {
      guard let since else {
        throw Problem(.badRequest, "'wait' is for what has changed 'since' a revision")
      }
      return try await changes(exchange, since: since, wait: .seconds(wait))
    }
    _ = try exchange.preferred(of: [EventStream.type])
    let commits = try await exchange.cache.commits(
      of: exchange.dataset, layouts: exchange.query["layout"].map { [$0] } ?? [],
      after: try lastEvent(exchange.request) ?? since,
      incarnation: exchange.query["incarnation"].map(Incarnation.init(rawValue:)),
      queueCountMax: queueCountMax,
      writtenBy: EventText.self)
    var response = try EventStream.response(to: exchange) { client in
      for try await event in commits { await client.send(event) }
    }
    response.headers[.revision] = String(commits.revision)
    return response
  }

  /// The revision of the last event that the client has seen.
  private static func lastEvent(_ request: Request) throws -> Int? {
    guard let text = request.headers[.lastEventID], !text.isEmpty else { return nil }
    guard let revision = revision(text) else {
      throw Problem(.badRequest, "Last-Event-ID is a revision, not '\(excerpt(text))'")
    }
    return revision
  }

  // MARK: - Without a stream

  /// The longest answer that is a connection's alone, in bytes.
  private static let ownBytesMax = 64 << 10

  /// Tells that there is news, and not which.
  private enum News: CommitWriting {
    static func text(of commit: Commit) -> [UInt8]? { nil }
  }

  private static func changes(
    _ exchange: Exchange, since: Int, wait: Duration
  ) async throws -> Response {
    let (cache, dataset, layout) = (exchange.cache, exchange.dataset, exchange.query["layout"])
    let begun = ContinuousClock.now
    @Sendable func answer(
      notBefore instant: ContinuousClock.Instant, revision: Int = 0
    ) async throws -> SharedAnswers.Answer {
      let key = SharedAnswers.Key(dataset: dataset, since: since, layout: layout)
      return try await exchange.service.changes.answer(
        to: key, notBefore: instant, revision: revision
      ) {
        let begun = ContinuousClock.now
        return try await exchange.blocking {
          let changes = try cache.changes(of: dataset, since: since, layout: layout)
          return SharedAnswers.Answer(
            begun: begun, revision: changes.revision,
            text: cache.share(text(of: changes), of: changes))
        }
      }
    }
    var found = try await answer(notBefore: begun)
    if found.revision == since, wait > .zero {
      let commits = try await cache.commits(
        of: dataset, after: since, queueCountMax: 1, writtenBy: News.self)
      let news = try await cancelWhenGracefulShutdown {
        try await withThrowingTaskGroup(of: Int?.self) { group in
          group.addTask {
            for try await event in commits {
              if case .event(.reset(let revision, _)) = event.content { return revision }
              break
            }
            return nil
          }
          group.addTask {
            try await Task.sleep(for: wait)
            return nil
          }
          defer { group.cancelAll() }
          return try await group.next() ?? nil
        }
      }
      // Without news it may have gone.
      found =
        if let news {
          try await answer(notBefore: begun, revision: news)
        } else {
          try await answer(notBefore: .now)
        }
    }
    var response = try response(found.text, to: exchange)
    response.headers[.cacheControl] = "no-store"
    response.headers[.revision] = String(found.revision)
    return response
  }

  /// The text of an answer, which says "everything" where it would be too long.
  private static func text(of changes: DatasetChanges) -> [UInt8] {
    var json = JSONWriter()
    changes.write(to: &json)
    if json.bytes.count <= EventText.bytesMax { return json.bytes }
    json = JSONWriter()
    changes.namingNothing.write(to: &json)
    return json.bytes
  }

  /// An answer of bounded memory: as many clients may wait as there are connections, and
  /// all are answered together.
  private static func response(_ text: SharedEvent, to exchange: Exchange) throws -> Response {
    guard case .text(let bytes) = text.content else {
      throw Problem(.busy, "too many answers wait for their clients")
    }
    if bytes.count <= ownBytesMax { return exchange.answer(type: "application/json", bytes) }
    let channel = exchange.context.channel
    return Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: ResponseBody { writer in
        try await text.write(to: &writer, of: channel) { _ in throw SharedEvent.Dropped() }
        try await writer.finish(nil)
      })
  }
}

extension DatasetChanges {
  /// The same, with the statement that everything has changed.
  fileprivate var namingNothing: DatasetChanges {
    var changes = self
    changes.updates = DatasetUpdates()
    changes.updates.everything = true
    for index in layouts.indices { changes.layouts[index].context = .everything }
    return changes
  }
}

extension HTTPField.Name {
  fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
