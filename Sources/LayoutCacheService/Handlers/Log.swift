import Hummingbird
import LayoutCache
import TextFormats

/// Handlers for the history of a dataset.
enum Log {
  /// Returns the latest changes, newest first. The next page begins before the last revision
  /// listed.
  @Sendable static func list(_ exchange: ServiceRequest) async throws -> Response {
    let rowsMax = exchange.service.configuration.limits.rowsMax
    let limit = try exchange.query.int(.limit, in: 1...rowsMax) ?? min(rowsMax, 100)
    let before = try exchange.query.revision(.after)
    let (cache, dataset) = (exchange.cache, exchange.dataset)
    let entries = try await exchange.blocking {
      // One more tells whether further entries follow.
      try cache.log(of: dataset, limit: limit + 1, before: before)
    }
    return exchange.json { json in
      json.beginObject()
      json.member("dataset", dataset)
      json.member("entries")
      json.value(Array(entries.prefix(limit)), LogEntry.fields)
      if entries.count > limit { json.member("next", String(entries[limit - 1].revision)) }
      json.endObject()
    }
  }
}
