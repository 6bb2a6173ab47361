import CollectionLayout
import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutGeometry
import TextFormats

/// The layouts of a dataset.
enum Layouts {
  @Sendable static func list(_ exchange: Exchange) async throws -> Response {
    let page = try Page(exchange)
    let (cache, dataset) = (exchange.cache, exchange.dataset)
    let all = try await exchange.blocking { try cache.layouts(of: dataset) }
    let (rows, next) = page.cut(all, by: \.name)
    let listing = try rows.map(LayoutListing.init)
    return exchange.json { json in
      json.beginObject()
      json.member("dataset", dataset)
      json.member("layouts")
      json.value(listing, LayoutListing.fields)
      if let next { json.member("next", next) }
      json.endObject()
    }
  }

  @Sendable static func show(_ exchange: Exchange) async throws -> Response {
    try await exchange.answer(exchange.layout, status: .ok)
  }

  /// Attaches a layout, or changes its configuration: the body, as `layout show` prints it.
  @Sendable static func set(_ exchange: Exchange) async throws -> Response {
    let body = try await exchange.body.collect(bytesMax: Limits.configurationBytesMax)
    guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
      throw Problem(.badRequest, "the body is not UTF-8")
    }
    let configuration = try read(text)
    let (cache, layout) = (exchange.cache, exchange.layout)
    let isNew = try await exchange.deciding {
      let isNew = try !cache.layouts(of: layout.dataset).contains {
        $0.name.utf8.elementsEqual(layout.layout.utf8)
      }
      try cache.setLayout(layout, to: configuration)
      return isNew
    }
    return try await exchange.answer(layout, status: isNew ? .created : .ok)
  }

  private static func read(_ text: String) throws -> LayoutConfiguration {
    do {
      let configuration = try ConfigurationText.decode(text)
      // Checked here too, because only here the text is known.
      _ = try LayoutPlan(configuration)
      return configuration
    } catch var error as ConfigurationError {
      if error.place == nil { error = ConfigurationText.locate(error, in: text) }
      var problem = Problem(.badOperation, "the layout is refused: \(error)")
      problem.line = error.place?.line
      throw problem
    }
  }

  @Sendable static func remove(_ exchange: Exchange) async throws -> Response {
    let (cache, layout) = (exchange.cache, exchange.layout)
    try await exchange.deciding { try cache.removeLayout(layout) }
    return Response(status: .noContent)
  }

  @Sendable static func prepare(_ exchange: Exchange) async throws -> Response {
    let (cache, layout) = (exchange.cache, exchange.layout)
    let preparation = try await exchange.deciding { try PreparationAnswer(layout, in: cache) }
    return exchange.json { json in
      json.beginObject()
      json.member("dataset", layout.dataset)
      for field in PreparationAnswer.fields { field.writeMember(preparation, &json) }
      json.endObject()
    }
  }

  /// Places items anew, each in the column that is shortest at its place.
  @Sendable static func rebalance(_ exchange: Exchange) async throws -> Response {
    let (cache, layout, query) = (exchange.cache, exchange.layout, exchange.query)
    let commit = try await exchange.deciding {
      do {
        return try cache.rebalance(
          layout.dataset, layouts: [layout.layout], section: query["section"],
          from: query["from"], preparing: .inUse)
      } catch let error as LayoutCacheError {
        // The client has named parts of a layout, not sent operations with numbers.
        guard case .refused(let refused) = error.code else { throw error }
        let kind: ProblemKind =
          switch error.category {
          case .notFound: .notFound
          case .input: .badRequest
          default: .conflict
          }
        throw Problem(kind, "\(refused.reason)")
      }
    }
    var response = exchange.json { commit.write(to: &$0) }
    response.headers[.revision] = String(commit.revision)
    return response
  }
}

extension Exchange {
  fileprivate func answer(_ layout: LayoutID, status: HTTPResponse.Status) async throws -> Response
  {
    let cache = cache
    let listing = try await blocking { try LayoutListing(cache.layout(layout)) }
    return json(status: status) { $0.value(listing, LayoutListing.fields) }
  }
}
