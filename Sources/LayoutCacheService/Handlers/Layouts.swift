import CollectionLayout
import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutGeometry
import NIOCore
import TextFormats

/// Handlers for the layouts of a dataset.
enum Layouts {
  @Sendable static func list(_ request: ServiceRequest) async throws -> Response {
    let page = try Page(request)
    let (cache, dataset) = (request.cache, request.dataset)
    return try await request.blocking {
      // Few at a time: each may have a configuration of the maximum length.
      let (rows, hasMore) = try page.collect(partMax: 16, bytesMax: request.answerBytesMax) {
        after, countMax in
        try cache.layouts(of: dataset, after: after, limit: countMax)
          .map { (row: try LayoutListing($0), name: $0.name) }
      } by: {
        $0.name
      } byteCount: {
        $0.row.configurationBytes
      } where: {
        request.caller.may(useLayout: $0.name)
      }
      return request.json { json in
        json.beginObject()
        json.member("dataset", dataset)
        json.list("layouts", rows, hasMore: hasMore, next: { $0.name }) {
          $0.value($1.row, LayoutListing.fields)
        }
        json.endObject()
      }
    }
  }

  @Sendable static func show(_ request: ServiceRequest) async throws -> Response {
    let (cache, layout) = (request.cache, request.layout)
    return try await request.blocking {
      let description = try cache.layout(layout)
      return try respond(request, LayoutListing(description), to: description.configuration)
    }
  }

  /// Returns the answer that describes a layout, with the tag of its configuration.
  private static func respond(
    _ request: ServiceRequest, status: HTTPResponse.Status = .ok, _ listing: LayoutListing,
    to configuration: LayoutConfiguration
  ) throws -> Response {
    var response = request.json(status: status) { $0.value(listing, LayoutListing.fields) }
    response.headers[.eTag] = try EntityTag(configuration).header
    return response
  }

  /// Attaches a layout, or changes its configuration. The body is as printed by `layout show`.
  @Sendable static func set(_ request: ServiceRequest) async throws -> Response {
    let body = try await request.body.collect(bytesMax: Limits.configurationBytesMax)
    let (cache, layout) = (request.cache, request.layout)
    return try await request.deciding {
      let configuration = try read(body)
      let set = try cache.setLayout(
        layout, to: configuration,
        requiring: requirement(request.http.headers, layout, configuration))
      return try respond(request, status: set.isNew ? .created : .ok, afterSetting: set.layout)
    }
  }

  private static func respond(
    _ request: ServiceRequest, status: HTTPResponse.Status = .ok,
    afterSetting layout: LayoutDescription
  ) throws -> Response {
    let configuration = layout.configuration
    // The layout is set, whether or not the dataset can be read.
    let warnings = try? request.cache.warnings(about: configuration, of: request.dataset)
    return try respond(
      request, status: status, LayoutListing(layout, warnings: warnings ?? []), to: configuration)
  }

  /// Returns the check of the present configuration that `If-Match` and `If-None-Match` demand.
  private static func requirement(
    _ headers: HTTPFields, _ layout: LayoutID, _ configuration: LayoutConfiguration? = nil
  ) -> LayoutRequirement? {
    let (wanted, unwanted) = (headers[.ifMatch], headers[.ifNoneMatch])
    if wanted == nil, unwanted == nil { return nil }
    return { present in
      let (tag, new) = (try present.map(EntityTag.init), try configuration.map(EntityTag.init))
      // A repeat of a request that was applied succeeds, as RFC 9110 (section 13.1.1) allows.
      let isWanted = wanted.map { header in tag.map { $0 == new || $0.matches(header) } ?? false }
      let isUnwanted = unwanted.map { header in tag?.matches(header) ?? false }
      if isWanted ?? true, !(isUnwanted ?? false) { return }
      var problem = Problem(
        .revisionMismatch,
        "\(layout) \(tag == nil ? "does not exist" : "has another configuration")")
      problem.validator = tag?.header
      throw problem
    }
  }

  /// Returns the configurations that a layout has had.
  @Sendable static func history(_ request: ServiceRequest) async throws -> Response {
    let (cache, layout) = (request.cache, request.layout)
    var history = try await request.blocking { try cache.layoutHistory(of: layout) }
    // The names of tokens are no concern of the public.
    if !request.caller.hasToken { for index in history.indices { history[index].who = nil } }
    // The oldest of many long ones are left out.
    var bytesLeft = request.answerBytesMax
    let rows = try history.map(DefinitionListing.init).prefix { row in
      bytesLeft -= row.byteCount
      return bytesLeft > 0
    }
    return request.json { json in
      json.beginObject()
      json.member("dataset", layout.dataset)
      json.member("layout", layout.layout)
      json.member("history")
      json.value(Array(rows), DefinitionListing.fields)
      json.endObject()
    }
  }

  /// Sets a layout to its previous configuration.
  @Sendable static func restorePrevious(_ request: ServiceRequest) async throws -> Response {
    let (cache, layout) = (request.cache, request.layout)
    return try await request.deciding {
      let restored = try cache.restorePreviousConfiguration(
        of: layout, requiring: requirement(request.http.headers, layout))
      return try respond(request, afterSetting: restored)
    }
  }

  private static func read(_ body: ByteBuffer) throws -> LayoutConfiguration {
    let text = try body.text
    do {
      return try ConfigurationText.decodeChecked(text)
    } catch let error as ConfigurationError {
      var problem = Problem(.invalidOperation, "invalid layout configuration: \(error)")
      problem.line = error.place?.line
      throw problem
    }
  }

  @Sendable static func remove(_ request: ServiceRequest) async throws -> Response {
    let (cache, layout) = (request.cache, request.layout)
    try await request.deciding {
      try cache.removeLayout(layout, requiring: requirement(request.http.headers, layout))
    }
    return Response(status: .noContent)
  }

  @Sendable static func prepare(_ request: ServiceRequest) async throws -> Response {
    let (cache, layout) = (request.cache, request.layout)
    // The name of a responsive layout means all its variants.
    let variants = try await request.blocking { try cache.layoutsWithResult(of: layout) }
    let work = Task {
      var answers: [PreparationAnswer] = []
      for variant in variants {
        answers.append(
          try await cache.whenPreparing(variant) { variant in
            try await request.deciding { try PreparationAnswer(variant, in: cache) }
          })
      }
      return answers
    }
    try await request.service.preparations.wait(for: .request(request.context.id)) {
      try await withTaskCancellationHandler {
        _ = try await work.value
      } onCancel: {
        work.cancel()
      }
    }
    let answers = try await work.value
    let preparation =
      answers.count == 1
      ? answers[0]
      : PreparationAnswer(
        answers, of: layout,
        at: try await request.blocking { try cache.dataset(layout.dataset).revision })
    func write(_ preparation: PreparationAnswer, to json: inout JSONWriter) {
      json.beginObject()
      json.member("dataset", layout.dataset)
      for field in PreparationAnswer.fields { field.writeMember?(preparation, &json) }
      json.endObject()
    }
    let bytes = JSONWriter.bytes(upTo: request.answerBytesMax) { json in
      write(preparation, to: &json)
    } else: { json in
      var preparation = preparation
      preparation.removeParts()
      write(preparation, to: &json)
    }
    return request.respond(type: "application/json", bytes)
  }

  /// Reassigns items to columns, each to the column that is shortest at its position.
  @Sendable static func rebalance(_ request: ServiceRequest) async throws -> Response {
    let (cache, layout, query) = (request.cache, request.layout, request.query)
    let commit = try await request.deciding {
      do {
        return try cache.rebalance(
          layout.dataset, layouts: [layout.layout], section: query[.section],
          from: query[.from], preparing: .inUse)
      } catch let error as LayoutCacheError {
        // The client has named parts of a layout; it did not send numbered operations.
        guard case .refused(_, let reason) = error.code else { throw error }
        let kind: ProblemKind =
          switch error.category {
          case .notFound: .notFound
          case .input: .badRequest
          default: .conflict
          }
        throw Problem(kind, "\(reason)")
      }
    }
    var response = request.respond(
      type: "application/json", commit.json(bytesMax: request.answerBytesMax))
    response.headers[.revision] = String(commit.revision)
    return response
  }
}

extension EntityTag {
  /// Creates the tag of a layout's configuration.
  fileprivate init(_ configuration: LayoutConfiguration) throws {
    self.init(hashing: try ConfigurationText.encode(configuration).utf8)
  }
}
