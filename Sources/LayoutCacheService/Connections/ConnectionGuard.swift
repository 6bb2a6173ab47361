import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Closes connections of clients that keep the service waiting, sends `100 Continue` to clients
/// that expect it, and describes errors of the header.
///
/// A client has a deadline for the header of a request, from the opening of the connection or the
/// header's first bytes after a previous request, and one for taking each piece of an answer. That of
/// a body belongs to the request's handler. A client may send requests before their predecessors are
/// answered: the time of a header then begins with the end of the previous answer.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The request that arrives.
  private enum State {
    /// None, not even a byte: the framework's idle timeout applies, or the service answers.
    case idle
    case header(since: NIODeadline)
    case body
  }

  private let header: TimeAmount
  private let headerBytesMax: Int
  private let answer: TimeAmount
  private var state = State.idle
  /// Whether a part of a request has arrived in the present read.
  private var hasReadPart = false
  /// The number of incomplete writes, and the time since which the first of them waits.
  private var writesPending = 0
  private var waitsSince = NIODeadline.now()
  private var check: Scheduled<Void>?
  private let connections: OpenConnections
  private let unread: RouteMetrics
  private let logger: Logger
  /// The number of requests whose header has arrived and whose answer has not ended. Each of
  /// them has a handler, which logs and counts it.
  private var requestsOpen = 0
  /// Whether the answer to the first of them has begun.
  private var hasBegunAnswer = false
  /// The reason for which a header could not be parsed.
  private var parserError: HTTPParserError?
  /// The time at which the connection was opened, or its previous answer ended.
  private var begun = ContinuousClock.now

  /// - Parameters:
  ///   - configuration: Its timeouts apply, and the maximum size of a header.
  ///   - connections: Counts the connection as long as it is open.
  ///   - unread: The metrics of requests without a handler.
  ///   - logger: The logger for the access log's lines of such requests.
  init(
    _ configuration: ServiceConfiguration, _ connections: OpenConnections,
    _ unread: RouteMetrics, _ logger: Logger
  ) {
    let timeouts = configuration.timeouts
    (self.connections, self.unread, self.logger) = (connections, unread, logger)
    header = TimeAmount(timeouts.header)
    headerBytesMax = configuration.limits.headerBytesMax
    answer = TimeAmount(timeouts.answer)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    connections.didOpen()
    state = .header(since: context.eventLoop.now)
    context.channel.boundUnsentBytes()
    scheduleCheck(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    check?.cancel()
    connections.didClose()
  }

  func channelInactive(context: ChannelHandlerContext) {
    check?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasReadPart = true
    switch unwrapInboundIn(data) {
    case .head:
      requestsOpen += 1
      state = .body
    case .body: break
    case .end: state = .idle
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // Bytes that do not complete a part are the beginning of a header.
    if case .idle = state, !hasReadPart { state = .header(since: context.eventLoop.now) }
    hasReadPart = false
    context.fireChannelReadComplete()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    parserError = parserError ?? error as? HTTPParserError
    context.fireErrorCaught(error)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head where requestsOpen == 0 && parserError != nil:
      // The framework's answer to a header that it cannot parse has no body. Its end follows.
      write(problemOfHeader, context)
      promise?.succeed()
      return
    case .head(let head):
      hasBegunAnswer = hasBegunAnswer || head.status.kind != .informational
      return context.write(data, promise: promise)
    case .body: break
    case .end:
      hasBegunAnswer = false
      requestsOpen = max(0, requestsOpen - 1)
      if case .header = state, requestsOpen == 0 { state = .header(since: context.eventLoop.now) }
      begun = .now
    }
    let own = promise ?? context.eventLoop.makePromise(of: Void.self)
    if writesPending == 0 { waitsSince = context.eventLoop.now }
    writesPending += 1
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    let eventLoop = context.eventLoop
    own.futureResult.whenComplete { _ in bound.value.didWrite(at: eventLoop.now) }
    context.write(data, promise: own)
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    switch event {
    case is BodyIsWanted:
      context.writeAndFlush(
        wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: promise)
    case let event as BodyIsLate:
      promise?.succeed()
      refuse(context, event.detail)
    default: context.triggerUserOutboundEvent(event, promise: promise)
    }
  }

  /// Logs and counts an answer, unless its request has a handler.
  private func noteUnread(
    _ status: HTTPResponse.Status, bytes: Int, _ context: ChannelHandlerContext
  ) {
    guard requestsOpen == 0 else { return }
    unread.record(status, begun.duration(to: .now))
    let client = ClientAddress(context.channel.remoteAddress)
    AccessLogLine.logUnread(
      status, bytes: bytes, client: client?.description ?? "", since: begun, logger)
  }

  // MARK: - Deadlines

  private func didWrite(at time: NIODeadline) {
    writesPending -= 1
    waitsSince = time
  }

  private func scheduleCheck(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    check = context.eventLoop.scheduleTask(in: .seconds(1)) {
      let (handler, context) = bound.value
      handler.checkDeadlines(context)
    }
  }

  private func checkDeadlines(_ context: ChannelHandlerContext) {
    let now = context.eventLoop.now
    // A client that does not read its answer gets no error response.
    if writesPending > 0, now > waitsSince + answer { return context.close(promise: nil) }
    if case .header(let since) = state, requestsOpen == 0, now > since + header {
      return refuse(context, "the request's header did not arrive within \(header.seconds) s")
    }
    scheduleCheck(context)
  }

  /// The description of a header that cannot be parsed.
  private var problemOfHeader: Problem {
    guard parserError == .headerOverflow else {
      return Problem(.badRequest, "the request's header is not valid HTTP/1.1")
    }
    return Problem(
      .badRequest,
      "the request's header is longer than \(headerBytesMax) bytes (limits.headerBytesMax) or has "
        + "more than \(ServiceLimits.headerFieldsMax) fields")
  }

  /// Writes an answer of a request without a handler, without its end; the connection closes
  /// after it.
  private func write(_ problem: Problem, _ context: ChannelHandlerContext) {
    var fields = problem.headerFields
    fields.addProtection()
    let body = ByteBuffer(bytes: problem.json)
    fields[.connection] = "close"
    fields[.contentLength] = String(body.readableBytes)
    let head = HTTPResponse(status: problem.kind.status, headerFields: fields)
    noteUnread(head.status, bytes: body.readableBytes, context)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: nil)
  }

  /// Answers 408 unless an answer has begun or ended, and closes the connection.
  private func refuse(_ context: ChannelHandlerContext, _ detail: String) {
    let problem = Problem(.requestTimeout, detail)
    if case .body = state, hasBegunAnswer || requestsOpen == 0 {
      context.fireErrorCaught(problem)
      return context.close(promise: nil)
    }
    write(problem, context)
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      // A handler that reads the body ends with this error, and logs its status. The connection
      // closes before the handler's answer could be sent.
      bound.value.fireErrorCaught(problem)
      bound.value.close(promise: nil)
    }
  }
}

extension TimeAmount {
  fileprivate var seconds: Int64 { nanoseconds / 1_000_000_000 }
}
