import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutGeometry
import TextFormats

/// Changes.
enum Batches {
  /// Commits a batch of operations, an operation a line.
  @Sendable static func commit(_ exchange: Exchange) async throws -> Response {
    try requireNDJSON(exchange.request)
    let visible = try exchange.query.rect("visible")
    let body = try await exchange.body.collect(
      bytesMax: exchange.service.configuration.limits.batchBytesMax)
    let (cache, dataset) = (exchange.cache, exchange.dataset)
    let commit = try await exchange.blocking {
      var reader = BatchReader()
      try body.withUnsafeReadableBytes { try reader.consume($0) }
      let records = try reader.finish()
      do {
        return try cache.update(
          dataset, with: records.map(\.operation), visible: visible, preparing: .inUse)
      } catch let error as LayoutCacheError {
        guard case .refused(let refused) = error.code else { throw error }
        var problem = Problem(error) ?? Problem(.internalError, "")
        problem.line = records[refused.number - 1].line
        throw problem
      }
    }
    var response = exchange.json { commit.write(to: &$0) }
    response.headers[.revision] = String(commit.revision)
    return response
  }

  private static func requireNDJSON(_ request: Request) throws {
    guard let type = request.headers[.contentType] else { return }
    let known = ["application/x-ndjson", "application/ndjson", "application/jsonl", "text/plain"]
    let name = type.split(separator: ";").first.map { $0.trimmingSpaces.lowercased() } ?? ""
    // What curl's --data-binary says unless told otherwise.
    guard known.contains(name) || name == "application/x-www-form-urlencoded" else {
      throw Problem(.unsupportedFormat, "a batch is application/x-ndjson, not \(excerpt(name))")
    }
  }
}
