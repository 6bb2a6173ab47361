import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutGeometry
import TextFormats

/// Handlers for templates: layouts of many datasets.
enum Templates {
  @Sendable static func list(_ request: ServiceRequest) async throws -> Response {
    let page = try Page(request)
    let cache = request.cache
    return try await request.blocking {
      // Few at a time: each may have a configuration of the maximum length.
      let (rows, hasMore) = try page.collect(partMax: 16, bytesMax: request.answerBytesMax) {
        after, countMax in
        try cache.templates(after: after, limit: countMax)
          .map { (row: try TemplateListing($0), template: $0) }
      } by: {
        $0.template.name
      } byteCount: {
        $0.row.configurationBytes
      } where: {
        // It throws only if the caller may not.
        (try? request.require(.read, $0.template)) != nil
      }
      return request.json { json in
        json.beginObject()
        json.list("templates", rows, hasMore: hasMore, next: { $0.template.name }) {
          $0.value($1.row, TemplateListing.fields)
        }
        json.endObject()
      }
    }
  }

  @Sendable static func show(_ request: ServiceRequest) async throws -> Response {
    let (cache, name) = (request.cache, request.part("template"))
    return try await request.blocking {
      let template = try cache.template(name)
      try request.require(.read, template)
      return try respond(request, template)
    }
  }

  /// Sets a template: 201, or 200 if it exists. Only who may write all datasets that it may be for.
  @Sendable static func set(_ request: ServiceRequest) async throws -> Response {
    let body = try await request.body.collect(bytesMax: Limits.configurationBytesMax + 1024)
    let (cache, name) = (request.cache, request.part("template"))
    return try await request.deciding {
      let text = try body.text
      let template = try LayoutTemplate(name, json: text)
      try request.require(.write, template)
      let isNew = try cache.setTemplate(
        template,
        requiring: { present in
          if let present { try request.require(.write, present) }
        })
      return try respond(request, status: isNew ? .created : .ok, template)
    }
  }

  @Sendable static func remove(_ request: ServiceRequest) async throws -> Response {
    let (cache, name) = (request.cache, request.part("template"))
    try await request.deciding {
      try cache.removeTemplate(name, requiring: { try request.require(.write, $0) })
    }
    return Response(status: .noContent)
  }

  private static func respond(
    _ request: ServiceRequest, status: HTTPResponse.Status = .ok, _ template: LayoutTemplate
  ) throws -> Response {
    let listing = try TemplateListing(template)
    return request.json(status: status) { $0.value(listing, TemplateListing.fields) }
  }
}

extension ServiceRequest {
  /// Checks that the caller may use all datasets for which a template may be, and its layout.
  ///
  /// - Throws: ``Problem``, as ``Caller/require(_:dataset:_:)``.
  fileprivate func require(_ access: Access, _ template: LayoutTemplate) throws {
    try caller.require(access, dataset: template.datasets, service.tokens)
    try caller.require(layout: template.layout)
  }
}
