import CollectionLayout
import Hummingbird
import LayoutCache
import TextFormats

/// Single items.
enum Items {
  /// An item; with a layout, where that places it, and where to scroll so that it is where
  /// it is wanted.
  @Sendable static func show(_ exchange: Exchange) async throws -> Response {
    let (dataset, key) = (exchange.dataset, exchange.part("key"))
    let distance = try exchange.query.length("anchor")
    guard let layout = exchange.query["layout"] else {
      try exchange.query.refuse(["anchor", "at"], "goes with 'layout'")
      return try await bare(exchange)
    }
    return try await exchange.read(LayoutID(layout, of: dataset)) { snapshot in
      try exchange.validated(snapshot, representation: "json") {
        let answer = try AnchoredElementAnswer(forKey: key, at: distance, in: snapshot)
        return exchange.json { $0.value(answer, AnchoredElementAnswer.fields) }
      }
    }
  }

  /// An item by itself: its place among the others, and its natural size.
  private static func bare(_ exchange: Exchange) async throws -> Response {
    let (cache, dataset, key) = (exchange.cache, exchange.dataset, exchange.part("key"))
    let item = try await exchange.blocking { try cache.item(forKey: key, of: dataset) }
    guard let item else { throw LayoutCacheError(.noSuchKey(key, dataset: dataset)) }
    var response = exchange.json { $0.value(item, ItemDescription.fields) }
    response.headers[.revision] = String(item.revision)
    return response
  }
}
