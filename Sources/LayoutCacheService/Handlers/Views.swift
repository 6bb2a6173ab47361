import HTTPTypes
import Hummingbird
import LayoutCache
import TextFormats

/// Handlers for the named views of a dataset.
enum Views {
  @Sendable static func list(_ request: ServiceRequest) async throws -> Response {
    let page = try Page(request)
    let (cache, dataset) = (request.cache, request.dataset)
    return try await request.blocking {
      let all = try cache.views(of: dataset).map(ViewListing.init)
      let (rows, hasMore) = page.collect(partMax: 16, bytesMax: request.answerBytesMax) {
        after, countMax in
        let rest = all.drop { row in
          after.map { !$0.utf8.lexicographicallyPrecedes(row.name.utf8) } ?? false
        }
        return Array(rest.prefix(countMax))
      } by: {
        $0.name
      } byteCount: {
        $0.byteCount
      }
      return request.json { json in
        json.beginObject()
        json.member("dataset", dataset)
        json.list("views", rows, hasMore: hasMore, next: { $0.name }) {
          $0.value($1, ViewListing.fields)
        }
        json.endObject()
      }
    }
  }

  @Sendable static func show(_ request: ServiceRequest) async throws -> Response {
    let (cache, dataset, name) = (request.cache, request.dataset, request.part("view"))
    return try await request.blocking {
      respond(request, ViewListing(name, try cache.view(name, of: dataset)))
    }
  }

  /// Names a view: 201, or 200 if the name exists.
  @Sendable static func set(_ request: ServiceRequest) async throws -> Response {
    let body = try await request.body.collect(bytesMax: DatasetView.bytesMax)
    let (cache, dataset, name) = (request.cache, request.dataset, request.part("view"))
    return try await request.deciding {
      let view = try DatasetView(json: body.text)
      let isNew = try cache.setView(name, of: dataset, to: view)
      return respond(request, status: isNew ? .created : .ok, ViewListing(name, view))
    }
  }

  @Sendable static func remove(_ request: ServiceRequest) async throws -> Response {
    let (cache, dataset, name) = (request.cache, request.dataset, request.part("view"))
    try await request.deciding { try cache.removeView(name, of: dataset) }
    return Response(status: .noContent)
  }

  private static func respond(
    _ request: ServiceRequest, status: HTTPResponse.Status = .ok, _ listing: ViewListing
  ) -> Response {
    request.json(status: status) { $0.value(listing, ViewListing.allFields) }
  }
}
