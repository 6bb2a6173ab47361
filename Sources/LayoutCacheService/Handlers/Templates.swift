import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutGeometry
import TextFormats

/// Handlers for templates: layouts of many datasets.
enum Templates {
  @Sendable static func list(_ exchange: ServiceRequest) async throws -> Response {
    let page = try Page(exchange)
    let cache = exchange.cache
    return try await exchange.blocking {
      // Few at a time: each may have a configuration of the maximum length.
      let (rows, hasMore) = try page.collect(partMax: 16, bytesMax: exchange.answerBytesMax) {
        after, countMax in
        var (rows, last): ([TemplateListing], String?) = ([], after)
        while rows.count < countMax {
          let part = try cache.templates(after: last, limit: countMax - rows.count)
          guard let end = part.last else { break }
          last = end.name
          rows += try part.filter { exchange.may(.read, $0.datasets) }.map(TemplateListing.init)
        }
        return rows
      } by: {
        $0.name
      } byteCount: {
        $0.configurationBytes
      }
      return exchange.json { json in
        json.beginObject()
        json.list("templates", rows, hasMore: hasMore, next: { $0.name }) {
          $0.value($1, TemplateListing.fields)
        }
        json.endObject()
      }
    }
  }

  @Sendable static func show(_ exchange: ServiceRequest) async throws -> Response {
    let (cache, name) = (exchange.cache, exchange.part("template"))
    return try await exchange.blocking {
      let template = try cache.template(name)
      try exchange.require(.read, template.datasets)
      return try answer(exchange, template)
    }
  }

  /// Sets a template: 201, or 200 if it exists. Only who may write all datasets that it may be for.
  @Sendable static func set(_ exchange: ServiceRequest) async throws -> Response {
    let body = try await exchange.body.collect(bytesMax: Limits.configurationBytesMax + 1024)
    let (cache, name) = (exchange.cache, exchange.part("template"))
    return try await exchange.deciding {
      let text = try body.text
      let template = try LayoutTemplate(name, json: text)
      try exchange.require(.write, template.datasets)
      let isNew = try cache.setTemplate(
        template,
        requiring: { present in
          if let present { try exchange.require(.write, present.datasets) }
        })
      return try answer(exchange, status: isNew ? .created : .ok, template)
    }
  }

  @Sendable static func remove(_ exchange: ServiceRequest) async throws -> Response {
    let (cache, name) = (exchange.cache, exchange.part("template"))
    try await exchange.deciding {
      try cache.removeTemplate(name, requiring: { try exchange.require(.write, $0.datasets) })
    }
    return Response(status: .noContent)
  }

  private static func answer(
    _ exchange: ServiceRequest, status: HTTPResponse.Status = .ok, _ template: LayoutTemplate
  ) throws -> Response {
    let listing = try TemplateListing(template)
    return exchange.json(status: status) { $0.value(listing, TemplateListing.fields) }
  }
}

extension ServiceRequest {
  /// Checks that the caller may use all datasets for which a template may be.
  ///
  /// - Throws: ``Problem``, as ``Caller/require(_:dataset:_:)``.
  fileprivate func require(_ access: Access, _ datasets: String) throws {
    try caller.require(access, dataset: datasets, service.tokens)
  }

  fileprivate func may(_ access: Access, _ datasets: String) -> Bool {
    (try? require(access, datasets)) != nil
  }
}
