import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

// What a service that listens and routes in another application have in common.

extension ServiceParts {
  /// Runs `body` with the threads that block; when the group of services shuts down, the service
  /// is no longer ready.
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
    // The service ends with its own result; threads that do not end go with the process.
    try? await importThreads.shutdownGracefully()
    try? await exportThreads.shutdownGracefully()
    if node != nil { try? await logThreads.shutdownGracefully() }
    try result.get()
  }

  func warnIfOpenToAllPages(_ logger: Logger) {
    guard origins.allowsAllOrigins, configuration.tokens.isEmpty else { return }
    logger.warning("Pages of all origins may change the data: there are no tokens.")
  }

  /// The limits of each connection.
  var channelConfiguration: HTTP1Channel.Configuration {
    let (limits, timeouts) = (configuration.limits, configuration.timeouts)
    var http = HTTP1Channel.Configuration(
      additionalChannelHandlers: [RequestVersion.Installer(), ConnectionGuard(timeouts)],
      idleTimeout: .init(timeouts.idle))
    http.httpDecoder.maxHeaderListSize = limits.headerBytesMax
    http.httpDecoder.maxHeaderFieldSize = limits.headerBytesMax
    http.httpDecoder.maxHeaderFieldCount = 100
    return http
  }
}
