import CollectionLayout
import Hummingbird
import LayoutCache
import TextFormats

/// Handlers for single items.
enum Items {
  /// Returns an item; with a layout, also its frame there, and the content offset that scrolls
  /// it to the wanted position.
  @Sendable static func show(_ exchange: ServiceRequest) async throws -> Response {
    let (dataset, key) = (exchange.dataset, try key(exchange))
    let distance = try exchange.query.length(.anchor)
    guard let layout = exchange.layoutName else {
      try exchange.query.refuse(
        [.anchor, .at, .offset, .where, .order, .view], "requires 'layout'")
      return try await bare(exchange, key)
    }
    let offsets = try exchange.query.carouselOffsets()
    return try await exchange.read(LayoutID(layout, of: dataset), scrolledTo: offsets) { snapshot in
      try exchange.validated(snapshot, representation: "json") {
        let answer = try AnchoredElementAnswer(forKey: key, at: distance, in: snapshot)
        return exchange.json { $0.value(answer, AnchoredElementAnswer.fields) }
      }
    }
  }

  /// Returns the key in the path, else that in the query: URL parsers take a segment `.` or `..`
  /// for a step in the path, even percent-encoded.
  private static func key(_ exchange: ServiceRequest) throws -> String {
    if let key = exchange.path["key"] { return key }
    guard let key = exchange.query[.key], !key.isEmpty else {
      throw Problem(.badRequest, "'key' is required")
    }
    return key
  }

  /// Returns an item without a layout: its index path and its natural size.
  private static func bare(_ exchange: ServiceRequest, _ key: String) async throws -> Response {
    let (cache, dataset) = (exchange.cache, exchange.dataset)
    let item = try await exchange.blocking { try cache.item(forKey: key, of: dataset) }
    guard let item else { throw LayoutCacheError(.noSuchKey(key, dataset: dataset)) }
    var response = exchange.json { $0.value(item, ItemDescription.fields) }
    response.headers[.revision] = String(item.revision)
    return response
  }
}
