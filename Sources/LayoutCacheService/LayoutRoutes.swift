import HTTPTypes
public import Hummingbird
public import HummingbirdCore
public import LayoutCache
public import Logging
public import NIOCore
public import ServiceLifecycle

/// The request context of an application that mounts ``LayoutRoutes``, with access to the
/// connection.
///
///     struct Context: ConnectionContext {
///       var coreContext: CoreRequestContextStorage
///       let channel: any Channel
///
///       init(source: ApplicationRequestContextSource) {
///         coreContext = CoreRequestContextStorage(source: source)
///         channel = source.channel
///       }
///     }
public protocol ConnectionContext: RequestContext {
  /// The connection on which the request arrived.
  var channel: any Channel { get }
}

/// The routes of ``LayoutService`` as a part of another Hummingbird application, next to that
/// application's own routes and after its middleware.
///
///     let layouts = try LayoutRoutes(cache: cache, configuration: configuration, logger: logger)
///     let router = Router(context: Context.self)
///     layouts.addRoutes(to: router, at: "layouts")
///     let application = Application(router: router, server: layouts.server, services: [layouts])
///     try await application.runService()
///
/// `GET /layouts/v1/datasets` is then `GET /v1/datasets` of the service, and the inspector is
/// at `/layouts/`. A problem's `type` is `/problems#KIND` for any path of the routes: it is an
/// identifier.
///
/// The application runs this value as one of its services: imports and exports have threads that
/// start and end with it. The application closes the cache.
public struct LayoutRoutes: Service {
  private let dependencies: ServiceDependencies
  private let responder: ServiceResponder
  private let logger: Logger

  /// Creates the routes for a cache.
  ///
  /// - Parameters:
  ///   - cache: The cache, which other dependencies of the application may use too.
  ///   - configuration: The configuration. `port`, `adminPort` and `limits.connectionsMax` are
  ///     ignored, because the application listens. A request's `Host` header must name `host`,
  ///     an entry of `allowedHosts`, or this machine. An application whose middleware
  ///     authenticates requests lists its host names in `allowedHosts`, and sets no tokens; if
  ///     `host` is not this machine, tokens are required.
  ///   - logger: The logger for failures whose details are not sent to clients.
  /// - Throws: ``ServiceConfigurationError``.
  public init(
    cache: LayoutCache, configuration: ServiceConfiguration, logger: Logger
  ) throws {
    var configuration = configuration
    configuration.privateFiles.append(cache.path)
    try configuration.validate()
    dependencies = ServiceDependencies(cache, nil, configuration, version: "layoutcache")
    responder = ServiceResponder(Routes.all, dependencies, checksHost: true)
    self.logger = logger
    dependencies.warnIfOpenToAllPages(logger)
  }

  /// Adds the routes below a path.
  ///
  /// - Parameters:
  ///   - router: A router or a router group. Its middleware applies.
  ///   - path: The path, without variable dependencies; empty for the router's root.
  public func addRoutes<Context: ConnectionContext>(
    to router: some RouterMethods<Context>, at path: RouterPath
  ) {
    let group = router.group(path)
    for method in ServiceResponder.methods {
      group.on("", method: method) { try await respond(to: $0, below: [], $1) }
      group.on("**", method: method) { request, context in
        try await respond(to: request, below: context.parameters.getCatchAll(), context)
      }
    }
  }

  /// The server for an application with these routes: HTTP/1.1 with this configuration's
  /// `timeouts` and header limits for all routes. On another server the application must handle
  /// slow clients, and a client that sends `Expect: 100-continue` gets no interim response.
  public var server: HTTPServerBuilder {
    .http1(configuration: dependencies.channelConfiguration(logger))
  }

  /// Runs the threads of imports and exports until the application shuts down.
  public func run() async throws {
    try await dependencies.withThreads { try await gracefulShutdown() }
  }

  /// Answers a request as a service whose root is the path of the routes.
  ///
  /// - Parameter segments: The rest of the path, percent-encoded as in the request.
  private func respond(
    to request: Request, below segments: [Substring], _ context: some ConnectionContext
  ) async throws -> Response {
    // The inspector's relative links resolve to the files only from a path with a trailing slash.
    if segments.isEmpty, !request.uri.path.hasSuffix("/"), [.get, .head].contains(request.method) {
      let last = request.uri.path.split(separator: "/").last ?? ""
      let query = request.uri.query.map { "?\($0)" } ?? ""
      return Response(status: .permanentRedirect, headers: [.location: "\(last)/\(query)"])
    }
    var head = request.head
    head.path = "/" + segments.joined(separator: "/") + (request.uri.query.map { "?\($0)" } ?? "")
    return try await responder.respond(
      to: Request(head: head, body: request.body),
      context: ServiceContext(
        source: ApplicationRequestContextSource(channel: context.channel, logger: context.logger)))
  }
}
