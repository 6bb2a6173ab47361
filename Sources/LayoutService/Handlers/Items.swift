import CollectionLayout
import Hummingbird
import LayoutCache
import TextFormats

/// Single items.
enum Items {
  /// An item; with a layout, where that places it.
  @Sendable static func show(_ exchange: Exchange) async throws -> Response {
    let (dataset, key) = (exchange.dataset, exchange.part("key"))
    guard let layout = exchange.query["layout"] else {
      throw Problem(.badRequest, "the query says with 'layout' where the item is to be placed")
    }
    return try await exchange.read(LayoutID(layout, of: dataset)) { snapshot in
      try exchange.validated(snapshot, representation: "json") {
        guard let element = try snapshot.attributes(forKey: key) else {
          throw LayoutCacheError(.noSuchKey(key, dataset: dataset))
        }
        return exchange.json { $0.value(element, LayoutAttributes.fieldsInDetail) }
      }
    }
  }
}
