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
    searchThreads.start()
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
    // The service ends with the result of `body`; threads that do not end are abandoned.
    try? await importThreads.shutdownGracefully()
    try? await exportThreads.shutdownGracefully()
    try? await searchThreads.shutdownGracefully()
    if node != nil { try? await logThreads.shutdownGracefully() }
    try result.get()
  }

  func warnIfOpenToAllPages(_ logger: Logger) {
    guard origins.allowsAllOrigins, tokens.isEmpty else { return }
    logger.warning("pages of all origins can change data: no access tokens are configured")
  }

  /// Returns the limits of each connection.
  ///
  /// - Parameter logger: The logger for the access log's lines of requests without a handler.
  func channelConfiguration(_ logger: Logger) -> HTTP1Channel.Configuration {
    let (limits, timeouts, connections) = (
      configuration.limits, configuration.timeouts, connections
    )
    let unread = RouteMetrics(unreadRequestsIn: metrics)
    var http = HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        RequestVersion.Installer(), ConnectionGuard(timeouts, connections, unread, logger),
      ],
      idleTimeout: .init(timeouts.idle))
    http.httpDecoder.maxHeaderListSize = limits.headerBytesMax
    http.httpDecoder.maxHeaderFieldSize = limits.headerBytesMax
    http.httpDecoder.maxHeaderFieldCount = 100
    return http
  }
}
