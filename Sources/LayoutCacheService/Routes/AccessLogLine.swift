import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// The line of a request in the access log, at the level info. It has no names of datasets or keys.
///
/// It is logged when the answer's body has ended, with the bytes that were sent until then. The
/// body retains it, so an answer whose body is never sent, as after a HEAD, is logged too.
final class AccessLogLine: Sendable {
  private struct State {
    var bytes = 0
    var isLogged = false
  }

  private let metadata: Logger.Metadata
  private let logger: Logger
  private let begun: ContinuousClock.Instant
  private let state = Mutex(State())

  /// - Parameters:
  ///   - method: The request's method.
  ///   - route: The pattern of the route's path.
  ///   - token: The name of the caller's token; empty without one.
  ///   - client: The client's address; empty if it is unknown.
  ///   - begun: The time at which the request's header had arrived.
  init(
    _ method: String, route: String, _ status: HTTPResponse.Status, token: String, client: String,
    since begun: ContinuousClock.Instant, _ logger: Logger
  ) {
    var metadata = Self.metadata(method, route, status)
    if !token.isEmpty { metadata["token"] = .string(token) }
    if !client.isEmpty { metadata["client"] = .string(client) }
    (self.metadata, self.begun, self.logger) = (metadata, begun, logger)
  }

  /// Logs the line of a request that no handler has answered, because its header did not arrive
  /// or could not be parsed. The method and the route are unknown.
  ///
  /// - Parameter begun: The time at which the connection was opened, or its previous answer ended.
  static func logUnread(
    _ status: HTTPResponse.Status, bytes: Int, client: String,
    since begun: ContinuousClock.Instant, _ logger: Logger
  ) {
    guard logger.logLevel <= .info else { return }
    let line = AccessLogLine(
      "-", route: "-", status, token: "", client: client, since: begun, logger)
    line.count(bytes)
    line.log()
  }

  /// Returns what lines of a request have in common.
  static func metadata(
    _ method: String, _ route: String, _ status: HTTPResponse.Status, _ duration: Duration? = nil
  ) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "method": .string(method), "route": .string(route),
      "status": .stringConvertible(status.code),
    ]
    metadata["milliseconds"] = duration.map(milliseconds)
    return metadata
  }

  private static func milliseconds(_ duration: Duration) -> Logger.MetadataValue {
    .stringConvertible((duration / .microseconds(1)).rounded() / 1_000)
  }

  deinit { log() }

  fileprivate func count(_ bytes: Int) { state.withLock { $0.bytes += bytes } }

  /// Logs the line, unless that has been done.
  ///
  /// - Parameter isAborted: Whether the client did not receive the whole body.
  fileprivate func log(isAborted: Bool = false) {
    let bytes = state.withLock { state -> Int? in
      if state.isLogged { return nil }
      state.isLogged = true
      return state.bytes
    }
    guard let bytes else { return }
    var metadata = metadata
    metadata["bytes"] = .stringConvertible(bytes)
    metadata["milliseconds"] = Self.milliseconds(begun.duration(to: .now))
    if isAborted { metadata["aborted"] = .stringConvertible(true) }
    logger.info("request", metadata: metadata)
  }
}

extension Response {
  /// Logs a line when the body has ended.
  mutating func log(_ line: AccessLogLine) {
    let body = body
    self.body = ResponseBody(contentLength: body.contentLength) { writer in
      do {
        try await body.write(
          writer.map {
            line.count($0.readableBytes)
            return $0
          })
      } catch {
        line.log(isAborted: true)
        throw error
      }
      line.log()
    }
  }
}
