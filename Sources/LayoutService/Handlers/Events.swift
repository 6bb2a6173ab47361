import HTTPTypes
import Hummingbird
import LayoutCache
import ServiceLifecycle
import TextFormats

/// What becomes of a dataset, as it happens.
enum Events {
  /// The longest time that a request for changes is kept waiting for some, in seconds.
  private static let waitMax = 60
  /// The events that may wait for a client; with one more it begins anew.
  private static let queueCountMax = 64

  /// A stream of commits, from the revision behind `Last-Event-ID` or `since` on; with `wait`
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
      incarnation: exchange.query["incarnation"], queueCountMax: queueCountMax)
    var response = try EventStream.response(to: exchange) { client in
      for try await event in commits { await client.send(EventText.text(of: event)) }
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

  private static func changes(
    _ exchange: Exchange, since: Int, wait: Duration
  ) async throws -> Response {
    let (cache, dataset, layout) = (exchange.cache, exchange.dataset, exchange.query["layout"])
    @Sendable func changes() throws -> DatasetChanges {
      try cache.changes(of: dataset, since: since, layout: layout)
    }
    var found = try await exchange.blocking(changes)
    if found.revision == since, wait > .zero {
      let commits = try await cache.commits(of: dataset, after: since)
      try await cancelWhenGracefulShutdown {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { for try await _ in commits { break } }
          group.addTask { try await Task.sleep(for: wait) }
          defer { group.cancelAll() }
          try await group.next()
        }
      }
      found = try await exchange.blocking(changes)
    }
    var response = exchange.json { found.write(to: &$0) }
    response.headers[.cacheControl] = "no-store"
    response.headers[.revision] = String(found.revision)
    return response
  }
}

extension HTTPField.Name {
  fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
