import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutGeometry
import Logging
import TextFormats

/// Answers requests by the table of routes: who may, what it comes to, and what is noted.
struct ServiceResponder: HTTPResponder {
  /// The methods that are answered, with 405 where a path does not take one.
  static let methods: [HTTPRequest.Method] = [
    .get, .head, .put, .post, .delete, .patch, .options, .trace, .connect,
  ]

  private let parts: ServiceParts
  private let checksHost: Bool
  private let router: RouterResponder<ServiceContext>
  /// Of requests for paths that there are not.
  private let elsewhere: RouteMetrics

  /// - Parameter checksHost: Whether requests must name one of the service's hosts.
  init(_ routes: [Route], _ parts: ServiceParts, checksHost: Bool) {
    self.parts = parts
    self.checksHost = checksHost
    let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
    for (path, routes) in Dictionary(grouping: routes, by: \.path) {
      for route in routes {
        let metrics = RouteMetrics(route, parts.metrics)
        router.on(RouterPath(path), method: route.method) { request, context in
          await parts.answer(
            request, context, metrics, checksHost: checksHost && route.checksHost
          ) {
            try await parts.run(route, $0, $1)
          }
        }
      }
      // A HEAD is answered as its GET.
      let own = Set(routes.map(\.method)).union(
        routes.contains { $0.method == .get } ? [.head] : [])
      let allowed = own.union([.options]).map(\.rawValue).sorted().joined(separator: ", ")
      let metrics = RouteMetrics(path: path, parts.metrics)
      for method in Self.methods where !own.contains(method) {
        router.on(RouterPath(path), method: method) { request, context in
          await parts.answer(request, context, metrics, checksHost: checksHost) { _, _ in
            guard method == .options else {
              var problem = Problem(
                .methodNotAllowed, "\(path) takes \(allowed), not \(method.rawValue)")
              problem.headers[.allow] = allowed
              throw problem
            }
            return Response(status: .noContent, headers: [.allow: allowed])
          }
        }
      }
    }
    elsewhere = RouteMetrics(path: "other", parts.metrics)
    self.router = router.buildResponder()
  }

  func respond(to request: Request, context: ServiceContext) async throws -> Response {
    if Self.methods.contains(request.method) {
      let response = try await router.respond(to: request, context: context)
      guard context.coreContext.endpointPath.value == Self.notFound else { return response }
    }
    return await parts.answer(request, context, elsewhere, checksHost: checksHost) { _, _ in
      throw Problem(.noSuchRoute, "there is nothing at \(excerpt(request.uri.path))")
    }
  }

  /// What the framework notes as the path of a request that no route is for.
  private static let notFound = "NotFound"
}

extension ServiceParts {
  /// Runs a route's handler on a request that may be answered.
  func run(_ route: Route, _ input: Incoming, _ context: ServiceContext) async throws -> Response {
    if route.access == .write {
      try origins.requireOwnOrigin(input.request.headers, authority: input.request.head.authority)
      try requireDistinctType(input.request.headers[.contentType])
    }
    let caller = try Caller(input.request.headers, configuration.tokens)
    var path: [String: String] = [:]
    for (name, text) in context.parameters {
      guard let part = percentDecoded(text), !part.isEmpty else {
        throw Problem(.badRequest, "the path is not percent-encoded UTF-8")
      }
      path[String(name)] = part
    }
    try caller.require(route.access, dataset: path["dataset"], configuration.tokens)
    let query = try QueryItems(
      input.request.uri.query.map { $0[...] }, names: route.access == .open ? nil : route.query,
      repeated: route.repeated)
    do {
      let exchange = Exchange(
        service: self, request: input.request, body: input.body, context: context, path: path,
        query: query, caller: caller)
      if let node, let dataset = path["dataset"] {
        return try await visit(dataset, on: node, route, exchange)
      }
      return try await route.handler(exchange)
    } catch let error as LayoutCacheError {
      guard case .noSuchLayout(let layout) = error.code, var problem = Problem(error) else {
        throw error
      }
      // Who may ask for the dataset may see what layouts it has.
      let near = try await cache.perform {
        didYouMean(layout.layout, among: try $0.layoutNames(of: layout.dataset))
      }
      if let near { problem.detail += "; \(near)" }
      throw problem
    }
  }

  /// Refuses bodies of a type that browsers send for any page without asking first.
  ///
  /// - Throws: ``Problem`` with 415.
  private func requireDistinctType(_ contentType: String?) throws {
    let name = (contentType ?? "").split(separator: ";").first.map {
      $0.trimmingSpaces.lowercased()
    }
    guard let name, ["text/plain", "multipart/form-data"].contains(name) else { return }
    throw Problem(
      .unsupportedFormat,
      "no body is \(name); send its own type, such as application/x-ndjson, text/csv or "
        + "application/json")
  }

  /// Answers a request, and notes how.
  func answer(
    _ request: Request, _ context: ServiceContext, _ metrics: RouteMetrics, checksHost: Bool,
    _ handler: (Incoming, ServiceContext) async throws -> Response
  ) async -> Response {
    let begun = ContinuousClock.now
    let input = Incoming(request: request, body: BodyStream(request, context.channel))
    var response: Response
    var isFramed = false
    do {
      try request.requireFraming()
      isFramed = true
      if checksHost { try origins.requireOwnHost(request.head.authority) }
      response = try await handler(input, context)
    } catch {
      response = problem(error, request, context.logger).response
    }
    if !isFramed || !input.body.isAtEnd {
      response.closeAfterwards(draining: input.body, context.channel)
    }
    allowOrigin(of: request, in: &response)
    response.headers.addProtection()
    if request.headers[.connection] == "close" { response.headers[.connection] = "close" }
    metrics.note(response.status, begun.duration(to: .now))
    return response
  }

  /// What a client is told of an error; what it is not told is logged.
  private func problem(_ error: any Error, _ request: Request, _ logger: Logger) -> Problem {
    let problem =
      Problem(error)
      ?? (error is CancellationError
        ? Problem(.draining, "the service is stopping")
        : Problem(.internalError, "the service's log says more"))
    if problem.kind.status.kind == .serverError, problem.kind.status != .serviceUnavailable {
      logger.error(
        "A request failed.",
        metadata: [
          "method": .string(request.method.rawValue), "path": .string(excerpt(request.uri.path)),
          "error": .string("\(error)"),
        ])
    }
    return problem
  }

  /// Lets pages of other servers read the answer, as far as the configuration says.
  private func allowOrigin(of request: Request, in response: inout Response) {
    guard !configuration.allowedOrigins.isEmpty, let origin = request.headers[.origin] else {
      return
    }
    response.headers.append(HTTPField(name: .vary, value: "Origin"))
    guard origins.allows(origin) else { return }
    response.headers[.accessControlAllowOrigin] = origins.allowsAllOrigins ? "*" : origin
    response.headers[.accessControlExposeHeaders] =
      "ETag, LayoutCache-Age, LayoutCache-Position, LayoutCache-Revision, Retry-After, Server-Timing"
    guard request.method == .options else { return }
    response.headers[.accessControlAllowMethods] = "GET, HEAD, PUT, POST, DELETE"
    response.headers[.accessControlAllowHeaders] =
      "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, "
      + "Max-Staleness, Min-Revision"
    response.headers[.accessControlMaxAge] = "600"
  }
}

extension HTTPFields {
  /// Keeps a browser from taking the answer for a page or a program: it is what its type says,
  /// runs nothing, and is shown in no frame. A page says itself what it may do.
  mutating func addProtection() {
    self[.xContentTypeOptions] = "nosniff"
    if self[.contentSecurityPolicy] == nil {
      self[.contentSecurityPolicy] =
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }
  }
}

/// A request with its body as a stream.
struct Incoming: Sendable {
  let request: Request
  let body: BodyStream
}
