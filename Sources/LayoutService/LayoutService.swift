import Hummingbird
import HummingbirdCore
public import LayoutCache
package import LayoutCluster
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// A cache over HTTP, and the inspector page.
///
///     let cache = try LayoutCache(path: "feeds.sqlite")
///     let service = try LayoutService(cache: cache, configuration: ServiceConfiguration(), logger: logger)
///     try await service.run()
///
/// It runs until it is told to stop, as by the group of services that it belongs to:
/// requests under way end then, and no others are taken. Closing the cache, which moves its
/// log into the trees, is its owner's part.
public struct LayoutService: Service {
  private let parts: ServiceParts
  private let logger: Logger
  private let onReady: @Sendable (_ port: Int) async -> Void

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - version: The name and version that it goes by, as `layoutcache/0.1.0`.
  ///   - onReady: Called once it listens, with its port.
  /// - Throws: ``ServiceConfigurationError``.
  public init(
    cache: LayoutCache, configuration: ServiceConfiguration, logger: Logger,
    version: String = "layoutcache",
    onReady: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
  ) throws {
    try self.init(
      cache: cache, node: nil, configuration: configuration, logger: logger, version: version,
      onReady: onReady)
  }

  /// Makes a service of a node. What the node does by itself is its owner's part too.
  ///
  /// - Parameter node: What decides on the cache's changes; `nil` where the cache does.
  package init(
    cache: LayoutCache, node: ClusterNode?, configuration: ServiceConfiguration, logger: Logger,
    version: String, onReady: @escaping @Sendable (_ port: Int) async -> Void
  ) throws {
    try configuration.validate()
    parts = ServiceParts(cache, node, configuration, PrometheusMetrics(), version: version)
    self.logger = logger
    self.onReady = onReady
  }

  /// Listens and answers until it is told to stop.
  ///
  /// - Throws: What listening comes upon, such as an address that is in use.
  public func run() async throws {
    if parts.origins.allowsAllOrigins && parts.configuration.tokens.isEmpty {
      logger.warning("Pages of all origins may change the data: there are no tokens.")
    }
    parts.transferThreads.start()
    if parts.node != nil { parts.logThreads.start() }
    let result: Result<Void, any Error>
    do {
      try await withGracefulShutdownHandler {
        try await withThrowingTaskGroup(of: Void.self) { group in
          if let port = parts.configuration.adminPort {
            // Probes and collectors go by addresses; nothing there is worth a rebound name.
            let responder = ServiceResponder(Routes.health, parts, checksHost: false)
            group.addTask { try await application(responder, port: port) { _ in }.run() }
          }
          group.addTask {
            let responder = ServiceResponder(Routes.all, parts, checksHost: true)
            try await application(responder, port: parts.configuration.port, onReady).run()
          }
          try await group.waitForAll()
        }
      } onGracefulShutdown: {
        parts.beginDraining()
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    try? await parts.transferThreads.shutdownGracefully()
    if parts.node != nil { try? await parts.logThreads.shutdownGracefully() }
    try result.get()
  }

  private func application(
    _ responder: ServiceResponder, port: Int, _ onReady: @escaping @Sendable (Int) async -> Void
  ) -> some ApplicationProtocol {
    Application(
      responder: responder,
      server: .http1(configuration: http),
      configuration: ApplicationConfiguration(
        address: .hostname(parts.configuration.host, port: port), serverName: parts.version,
        availableConnectionsDelegate: MaximumAvailableConnections(
          parts.configuration.limits.connectionsMax)),
      onServerRunning: { await onReady($0.localAddress?.port ?? port) },
      logger: logger)
  }

  /// What holds each connection to limits.
  private var http: HTTP1Channel.Configuration {
    let (limits, timeouts) = (parts.configuration.limits, parts.configuration.timeouts)
    var http = HTTP1Channel.Configuration(
      additionalChannelHandlers: [RequestVersion.Installer(), ConnectionGuard(timeouts)],
      idleTimeout: .init(timeouts.idle))
    http.httpDecoder.maxHeaderListSize = limits.headerBytesMax
    http.httpDecoder.maxHeaderFieldSize = limits.headerBytesMax
    http.httpDecoder.maxHeaderFieldCount = 100
    return http
  }
}
