import CollectionLayout
import Hummingbird
import LayoutCache
import TextFormats

/// Handlers for single items.
enum Items {
  /// Returns an item; with a layout, also its frame there, and the content offset that scrolls
  /// it to the wanted position.
  @Sendable static func show(_ request: ServiceRequest) async throws -> Response {
    let (dataset, key) = (request.dataset, try key(request))
    let distance = try request.query.length(.anchor)
    guard let layout = request.layoutName else {
      try request.query.refuse([.anchor, .at, .offset, .where, .order, .view], "requires 'layout'")
      return try await bare(request, key)
    }
    let offsets = try request.query.carouselOffsets()
    return try await request.read(LayoutID(layout, of: dataset), scrolledTo: offsets) { snapshot in
      try request.validated(snapshot, representation: "json") {
        let answer = try AnchoredElementAnswer(forKey: key, at: distance, in: snapshot)
        return request.json { $0.value(answer, AnchoredElementAnswer.fields) }
      }
    }
  }

  /// Returns the key in the path, else that in the query: URL parsers take a segment `.` or `..`
  /// for a step in the path, even percent-encoded.
  private static func key(_ request: ServiceRequest) throws -> String {
    if let key = request.path["key"] { return key }
    guard let key = request.query[.key], !key.isEmpty else {
      throw Problem(.badRequest, "'key' is required")
    }
    return key
  }

  /// Returns an item without a layout: its index path and its natural size.
  private static func bare(_ request: ServiceRequest, _ key: String) async throws -> Response {
    let (cache, dataset) = (request.cache, request.dataset)
    let item = try await request.blocking { try cache.item(forKey: key, of: dataset) }
    guard let item else { throw LayoutCacheError(.noSuchKey(key, dataset: dataset)) }
    var response = request.json { $0.value(item, ItemDescription.fields) }
    response.headers[.revision] = String(item.revision)
    return response
  }
}
