import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

// The parts common to a listening service and to routes in another application.

extension ServiceDependencies {
  /// Runs `body` with the threads for blocking work. When the service group shuts down, the
  /// service is no longer ready.
  func withThreads(_ body: () async throws -> Void) async throws {
    importThreads.start()
    exportThreads.start()
    if node != nil { logThreads.start() }
    let result: Result<Void, any Error>
    do {
      try await withGracefulShutdownHandler {
        try await body()
      } onGracefulShutdown: {
        self.beginDraining()
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    preparations.endAll()
    // The service ends with the result of `body`; threads that do not end are abandoned.
    try? await importThreads.shutdownGracefully()
    try? await exportThreads.shutdownGracefully()
    if node != nil { try? await logThreads.shutdownGracefully() }
    try result.get()
  }

  func warnIfOpenToAllPages(_ logger: Logger) {
    guard origins.allowsAllOrigins, tokens.isEmpty else { return }
    logger.warning("pages of all origins can change data: no access tokens are configured")
  }

  /// Returns the maximum number of connections of a port, with file descriptors for all of them:
  /// out of descriptors, SwiftNIO repeats accepting without a pause.
  func connectionsMax(isAdmin: Bool, _ logger: Logger) -> Int {
    let connectionsMax = configuration.limits.connectionsMax
    if isAdmin { return min(connectionsMax, 64) }
    guard let files = ProcessMetrics.fileCountMax else { return connectionsMax }
    // The other half of the reserve is for the admin port.
    let found = max(1, files - (ProcessMetrics.openFileCount() ?? 0) - 128)
    guard found < connectionsMax else { return connectionsMax }
    logger.warning(
      "limits.connectionsMax is lowered: the process may not open more files (ulimit -n)",
      metadata: ["connections": "\(found)", "files": "\(files)"])
    return found
  }

  /// Returns the limits of each connection.
  ///
  /// - Parameter logger: The logger for the access log's lines of requests without a handler.
  func channelConfiguration(_ logger: Logger) -> HTTP1Channel.Configuration {
    let (configuration, connections) = (configuration, connections)
    let unread = metrics.route("-", "-")
    var http = HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        RequestVersion.Installer(), ConnectionGuard(configuration, connections, unread, logger),
      ],
      idleTimeout: .init(configuration.timeouts.idle))
    http.httpDecoder.maxHeaderListSize = configuration.limits.headerBytesMax
    http.httpDecoder.maxHeaderFieldSize = configuration.limits.headerBytesMax
    http.httpDecoder.maxHeaderFieldCount = ServiceLimits.headerFieldsMax
    return http
  }
}
