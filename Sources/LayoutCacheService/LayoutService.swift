import Hummingbird
import HummingbirdCore
public import LayoutCache
package import LayoutCluster
public import Logging
import NIOCore
public import ServiceLifecycle

/// A service that serves a cache and the inspector page over HTTP.
///
///     let cache = try LayoutCache(path: "feeds.sqlite")
///     let service = try LayoutService(cache: cache, configuration: ServiceConfiguration(), logger: logger)
///     try await service.run()
///
/// It runs until its service group shuts down: requests in progress then complete, and new ones
/// are rejected. The program closes the cache afterwards, which checkpoints the cache's log into
/// the trees. ``LayoutRoutes`` adds the same routes to another application.
public struct LayoutService: Service {
  private let dependencies: ServiceDependencies
  private let logger: Logger
  private let onReady: @Sendable (_ port: Int) async -> Void

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - cache: The cache, which the program may use too.
  ///   - configuration: The configuration of the service.
  ///   - logger: The logger for failures whose details are not sent to clients.
  ///   - version: The name and version in the `Server` header, such as `layoutcache/0.1.0`.
  ///   - onReady: Called once the service listens at all its ports, with the main port.
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

  /// Creates a service of a cluster node. The caller runs the node's background tasks.
  ///
  /// - Parameter node: The node that commits the cache's changes; `nil` if the cache commits them.
  package init(
    cache: LayoutCache, node: ClusterNode?, configuration: ServiceConfiguration, logger: Logger,
    version: String, onReady: @escaping @Sendable (_ port: Int) async -> Void
  ) throws {
    var configuration = configuration
    configuration.privateFiles.append(cache.path)
    try configuration.validate()
    dependencies = ServiceDependencies(cache, node, configuration, version: version)
    (self.logger, self.onReady) = (logger, onReady)
  }

  /// Replaces the access tokens while the service runs. Requests in progress keep the access that
  /// they were granted; event streams that the new tokens do not permit end.
  ///
  /// - Throws: ``ServiceConfigurationError`` with `tokenRequired` if other machines can reach the
  ///   service and `tokens` is empty; nothing is changed then.
  public func replaceTokens(_ tokens: AccessTokens) throws {
    var configuration = dependencies.configuration
    configuration.tokens = tokens
    try configuration.validate()
    dependencies.tokens = tokens
  }

  /// Listens and answers until the service group shuts down.
  ///
  /// - Throws: ``ServiceListenError`` if the address is in use, does not belong to this machine,
  ///   or needs more rights; other errors of listening, such as an unknown host name.
  public func run() async throws {
    dependencies.warnIfOpenToAllPages(logger)
    try await dependencies.withThreads {
      try await withThrowingTaskGroup(of: Void.self) { group in
        let (mainPorts, mainPort) = AsyncStream<Int>.makeStream()
        group.addTask {
          // The listener can end without having listened if the service stops.
          defer { mainPort.finish() }
          let responder = ServiceResponder(Routes.all, dependencies, checksHost: true)
          try await listen(responder, port: dependencies.configuration.port) { mainPort.yield($0) }
        }
        group.addTask {
          // The admin port opens last: probes that it answers find the main port open.
          guard let port = await mainPorts.first(where: { _ in true }) else { return }
          guard let adminPort = dependencies.configuration.adminPort else {
            return await onReady(port)
          }
          // Probes and collectors connect by address. The admin port has no data worth a DNS
          // rebinding.
          let responder = ServiceResponder(Routes.health, dependencies, checksHost: false)
          try await listen(responder, port: adminPort) { _ in await onReady(port) }
        }
        // The first error ends the other: a service without its admin port looks dead to probes.
        for try await () in group {}
      }
    }
  }

  private func listen(
    _ responder: ServiceResponder, port: Int, _ onReady: @escaping @Sendable (Int) async -> Void
  ) async throws {
    do {
      try await application(responder, port: port, onReady).run()
    } catch let error as IOError {
      throw ServiceListenError(error.errnoCode, host: dependencies.configuration.host, port: port)
        ?? error
    }
  }

  private func application(
    _ responder: ServiceResponder, port: Int, _ onReady: @escaping @Sendable (Int) async -> Void
  ) -> some ApplicationProtocol {
    let connectionsMax = dependencies.connectionsMax(
      isAdmin: port == dependencies.configuration.adminPort, logger)
    return Application(
      responder: responder,
      server: .http1(configuration: dependencies.channelConfiguration(logger)),
      configuration: ApplicationConfiguration(
        address: .hostname(dependencies.configuration.host, port: port),
        serverName: dependencies.version,
        availableConnectionsDelegate: MaximumAvailableConnections(connectionsMax)),
      onServerRunning: { await onReady($0.localAddress?.port ?? port) },
      logger: logger)
  }
}
