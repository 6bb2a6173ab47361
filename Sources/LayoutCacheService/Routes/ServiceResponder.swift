import CollectionLayout
import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutGeometry
import Logging
import TextFormats

/// Answers requests by the route table: access checks, handling, logging and metrics.
struct ServiceResponder: HTTPResponder {
  /// The methods that the parser accepts, by its names. A path answers those that it does not
  /// support with 405.
  static let methods = """
    ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL \
    MOVE MSEARCH NOTIFY OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT REBIND REPORT SEARCH \
    SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE
    """.split(separator: " ").compactMap { HTTPRequest.Method(String($0)) }

  private let dependencies: ServiceDependencies
  private let checksHost: Bool
  private let router: RouterResponder<ServiceContext>
  /// The metrics of requests without a route.
  private let unmatched: RouteMetrics

  /// - Parameter checksHost: Whether requests must name one of the service's hosts.
  init(_ routes: [Route], _ dependencies: ServiceDependencies, checksHost: Bool) {
    (self.dependencies, self.checksHost) = (dependencies, checksHost)
    let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
    for (path, routes) in Dictionary(grouping: routes, by: \.path) {
      for route in routes {
        let metrics = dependencies.metrics.route(route.path, route.method.rawValue)
        router.on(RouterPath(path), method: route.method) { request, context in
          await dependencies.respond(
            request, context, metrics, checksHost: checksHost && route.checksHost,
            budget: route.budget
          ) {
            try await dependencies.run(route, $0, $1, $2)
          }
        }
      }
      addOthers(path, Set(routes.map(\.method)))
    }
    /// Adds the answers to the methods that a path does not support, and to OPTIONS.
    func addOthers(_ path: String, _ own: Set<HTTPRequest.Method>) {
      // A HEAD request is answered like a GET request.
      let own = own.union(own.contains(.get) ? [.head] : [])
      let allowed = own.union([.options]).map(\.rawValue).sorted().joined(separator: ", ")
      let metrics = dependencies.metrics.route(path)
      for method in Self.methods where !own.contains(method) {
        router.on(RouterPath(path), method: method) { request, context in
          await dependencies.respond(request, context, metrics, checksHost: checksHost) { _, _, _ in
            guard method == .options else {
              var problem = Problem(
                .methodNotAllowed, "\(path) supports \(allowed), not \(method.rawValue)")
              problem.headers[.allow] = allowed
              throw problem
            }
            return Response(status: .noContent, headers: [.allow: allowed])
          }
        }
      }
    }
    if let folder = PagesFolder(dependencies.configuration) {
      let files = UserPages(folder)
      let metrics = dependencies.metrics.route(UserPages.path)
      for path in [UserPages.path, UserPages.path + "/**"] {
        router.on(RouterPath(path), method: .get) { request, context in
          await dependencies.respond(
            request, context, metrics, checksHost: checksHost, isUserPage: true
          ) {
            try await files.respond($0, $2)
          }
        }
        addOthers(path, [.get])
      }
    }
    unmatched = dependencies.metrics.route("other")
    self.router = router.buildResponder()
  }

  func respond(to request: Request, context: ServiceContext) async throws -> Response {
    let response = try await router.respond(to: request, context: context)
    guard context.coreContext.endpointPath.value == Self.notFound else { return response }
    return await dependencies.respond(request, context, unmatched, checksHost: checksHost) {
      _, _, _ in
      throw Problem(.routeNotFound, "no route matches \(excerpt(request.uri.path))")
    }
  }

  /// The framework's metrics label for a request without a route.
  private static let notFound = "NotFound"
}

extension ServiceDependencies {
  /// Runs a route's handler after checking that the request may be answered.
  func run(
    _ route: Route, _ http: Request, _ body: BodyStream, _ context: ServiceContext
  ) async throws -> Response {
    if route.budget == .answer { body.mustEnd(within: configuration.timeouts.answer) }
    if route.isChange {
      // URL parsers and proxies turn the path of a layout `..` into that of its dataset, with a
      // slash at its end.
      if http.uri.path.hasSuffix("/") {
        throw Problem(.routeNotFound, "no route matches \(excerpt(http.uri.path))")
      }
      try origins.requireOwnOrigin(http.headers, authority: http.head.authority)
    }
    if route.method != .get {
      try requireDistinctType(http.headers)
      try requireKnownCoding(http.headers)
    }
    let tokens = tokens
    let caller = try Caller(http.headers, tokens)
    var path: [String: String] = [:]
    for (name, text) in context.parameters {
      guard let part = percentDecoded(text), !part.isEmpty else {
        throw Problem(.badRequest, "the path is not percent-encoded UTF-8")
      }
      path[String(name)] = part
    }
    try caller.require(route.access, dataset: path["dataset"], tokens)
    if route.isChange, cache.isReadOnly {
      throw Problem(.readOnly, "the service can only read its database file")
    }
    let query = try QueryItems(
      http.uri.query.map { $0[...] }, names: route.access == .open ? nil : route.query,
      repeated: route.repeated)
    try caller.require(route, path, query)
    do {
      let direction =
        route.answersGeometry
        ? try query.choice(.direction, of: LayoutConfiguration.LayoutDirection.self) : nil
      if direction != nil, route.access == .read, path["layout"] == nil, !query.has(.layout) {
        throw Problem(.badRequest, "'direction' requires 'layout'")
      }
      let stated = route.takesView ? try query.view() : nil
      let request = ServiceRequest(
        service: self, http: http, body: body, context: context, path: path,
        query: query, caller: caller, direction: direction, stated: stated)
      let answer =
        if let node, let dataset = path["dataset"] {
          try await visit(dataset, on: node, route, request)
        } else { try await request.respond(by: route) }
      return caller.isScoped ? answer.forOneViewer : answer
    } catch let error as LayoutCacheError {
      guard !(caller.grant?.isSigned ?? false),
        let near = try await nearName(for: error.code, caller, tokens),
        var problem = Problem(error)
      else { throw error }
      problem.detail += "; \(near)"
      throw problem
    }
  }

  /// The number of datasets among which a similar name is looked for.
  private static let nearNamesMax = 1000

  /// Returns a similar name that the caller may see, for an unknown one.
  private func nearName(
    for code: LayoutCacheError.Code, _ caller: Caller, _ tokens: AccessTokens
  ) async throws -> String? {
    switch code {
    case .noSuchLayout(let layout):
      // A client with access to the dataset may see the names of the dataset's layouts.
      try await cache.perform {
        didYouMean(layout.layout, among: try $0.layoutNames(of: layout.dataset))
      }
    case .noSuchDataset(let name):
      if let prefix = caller.visiblePrefix(tokens) {
        try await cache.perform {
          didYouMean(
            name, among: try $0.datasets(prefix: prefix, limit: Self.nearNamesMax).map(\.name))
        }
      } else {
        nil
      }
    default: nil
    }
  }

  /// Rejects bodies of types that browsers send for any page without a CORS preflight.
  ///
  /// - Throws: ``Problem`` with 415.
  private func requireDistinctType(_ headers: HTTPFields) throws {
    guard let name = headers.mediaType, ["text/plain", "multipart/form-data"].contains(name) else {
      return
    }
    throw Problem(
      .unsupportedFormat,
      "bodies of type \(name) are not accepted; send application/x-ndjson, text/csv or "
        + "application/json")
  }

  /// Rejects compressed bodies except those of gzip.
  ///
  /// - Throws: ``Problem`` with 415.
  private func requireKnownCoding(_ headers: HTTPFields) throws {
    let coding = headers[.contentEncoding]
    guard let coding, coding.lowercased() != "identity", !headers.hasGzipBody else { return }
    throw Problem(
      .unsupportedFormat,
      "bodies with Content-Encoding '\(excerpt(coding))' are not accepted; send gzip or identity")
  }

  /// Answers a request, and records metrics and logs.
  ///
  /// - Parameter isUserPage: Whether the answer is a file of the user, which may be a program
  ///   or be shown in a frame.
  func respond(
    _ request: Request, _ context: ServiceContext, _ metrics: RouteMetrics, checksHost: Bool,
    isUserPage: Bool = false, budget: RequestBudget = .answer,
    _ handler: (Request, BodyStream, ServiceContext) async throws -> Response
  ) async -> Response {
    let begun = ContinuousClock.now
    let id = context.requestID(request.headers)
    let body = BodyStream(request, context.channel)
    var response: Response
    var isFramed = false
    do {
      try request.requireFraming()
      isFramed = true
      if checksHost { try origins.requireOwnHost(request.head.authority) }
      response = try await handler(request, body, context)
    } catch {
      response = problem(error, request) { context.logger(of: id) }.response
    }
    if let line = accessLogLine(
      response, to: request, route: metrics.path, since: begun, id: id, context)
    {
      response.log(line)
    }
    if !isFramed || !body.isAtEnd {
      response.closeAfterwards(draining: body, context.channel)
    }
    allowOrigin(of: request, in: &response)
    if isUserPage {
      response.headers[.xContentTypeOptions] = "nosniff"
    } else {
      response.headers.addProtection()
    }
    response.headers[.requestID] = id
    if request.headers[.connection] == "close" { response.headers[.connection] = "close" }
    let duration = begun.duration(to: .now)
    metrics.record(response.status, duration)
    // A client that sends its body slowly is no slow service.
    if budget == .answer, response.status != .requestTimeout, metrics.mustReport(duration) {
      context.logger(of: id).notice(
        "slow request",
        metadata: AccessLogLine.metadata(
          request.method.rawValue, metrics.path, response.status, duration))
    }
    return response
  }

  /// Returns the line of the access log for an answer; `nil` if it is not logged.
  private func accessLogLine(
    _ response: Response, to request: Request, route: String,
    since begun: ContinuousClock.Instant, id: String, _ context: ServiceContext
  ) -> AccessLogLine? {
    guard context.logger.logLevel <= .info else { return nil }
    // An invalid token has no name; its request was answered with 401.
    let caller = try? Caller(request.headers, tokens)
    return AccessLogLine(
      request.method.rawValue, route: route, response.status, token: caller?.name ?? "",
      client: address(of: request, context)?.description ?? "", since: begun,
      context.logger(of: id))
  }

  /// Returns the problem sent for an error. Details withheld from the client are logged.
  private func problem(
    _ error: any Error, _ request: Request, _ logger: () -> Logger
  ) -> Problem {
    let problem =
      Problem(error)
      ?? (error is CancellationError
        ? Problem(.draining, "the service is stopping")
        : Problem(.internalError, "see the service's log for the cause"))
    if problem.kind.status.kind == .serverError, problem.kind.status != .serviceUnavailable {
      logger().error(
        "request failed",
        metadata: [
          "method": .string(request.method.rawValue), "path": .string(excerpt(request.uri.path)),
          "error": .string("\(error)"),
        ])
    }
    return problem
  }

  /// Lets pages of other origins read the answer, if the configuration allows it.
  private func allowOrigin(of request: Request, in response: inout Response) {
    if configuration.allowedOrigins.isEmpty { return }
    // Also without an origin: a shared cache must not pass that answer to a page.
    response.headers.append(HTTPField(name: .vary, value: "Origin"))
    guard let origin = request.headers[.origin], origins.allows(origin) else { return }
    response.headers[.accessControlAllowOrigin] = origins.allowsAllOrigins ? "*" : origin
    response.headers[.accessControlExposeHeaders] =
      "ETag, Idempotency-Replayed, LayoutCache-Access, LayoutCache-Age, LayoutCache-Position, "
      + "LayoutCache-Quarantined, LayoutCache-Revision, Retry-After, Server-Timing, X-Request-Id"
    guard request.method == .options else { return }
    response.headers[.accessControlAllowMethods] = "GET, HEAD, PUT, POST, DELETE"
    response.headers[.accessControlAllowHeaders] =
      "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, "
      + "Max-Staleness, Min-Revision"
    response.headers[.accessControlMaxAge] = "600"
  }
}

extension Response {
  /// The response as no cache passes it to other viewers.
  fileprivate var forOneViewer: Response {
    var own = self
    own.headers.append(HTTPField(name: .vary, value: "Authorization"))
    let control = headers[.cacheControl] ?? ""
    own.headers[.cacheControl] =
      control.hasPrefix("private") ? control : "private" + (control.isEmpty ? "" : ", \(control)")
    return own
  }
}

extension HTTPFields {
  /// Prevents a browser from sniffing another content type, running the answer as a program, or
  /// showing it in a frame. Pages set a policy themselves.
  mutating func addProtection() {
    self[.xContentTypeOptions] = "nosniff"
    if self[.contentSecurityPolicy] == nil {
      self[.contentSecurityPolicy] =
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }
  }
}
