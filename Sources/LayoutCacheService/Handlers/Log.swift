import Hummingbird
import LayoutCache
import TextFormats

/// Handlers for the history of a dataset.
enum Log {
  /// Returns the latest changes, newest first. The next page begins before the last revision
  /// listed.
  @Sendable static func list(_ request: ServiceRequest) async throws -> Response {
    let rowsMax = request.service.configuration.limits.rowsMax
    let limit = try request.query.int(.limit, in: 1...rowsMax) ?? min(rowsMax, 100)
    let before = try request.query.revision(.after)
    let (cache, dataset) = (request.cache, request.dataset)
    var entries = try await request.blocking {
      // One more tells whether further entries follow.
      try cache.log(of: dataset, limit: limit + 1, before: before)
    }
    // The names of tokens are no concern of the public.
    if !request.caller.hasToken { for index in entries.indices { entries[index].who = nil } }
    return request.json { [entries] json in
      json.beginObject()
      json.member("dataset", dataset)
      let hasMore = entries.count > limit
      json.list(
        "entries", Array(entries.prefix(limit)), hasMore: hasMore, next: { String($0.revision) }
      ) { $0.value($1, LogEntry.fields) }
      json.endObject()
    }
  }
}
