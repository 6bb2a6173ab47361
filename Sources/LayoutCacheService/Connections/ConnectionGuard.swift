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
/// header's first bytes after a previous request. A body and an answer must progress at a minimum
/// rate. The service's processing time does not count: a body's clock runs only while the
/// service reads, an answer's only while some of it cannot be sent. Bytes count as received by
/// a client once its system has acknowledged them.
///
/// A client may send requests before their predecessors are answered. The clock of a header or a
/// body then begins with the end of the previous answer, and does not end with it.
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
  private let stall: TimeAmount
  private let rateMin: Int
  private var state = State.idle
  /// Whether a part of a request has arrived in the present read.
  private var hasReadPart = false
  /// The time since which the service waits for the body; `nil` while it does not read.
  private var wanted: NIODeadline?
  /// The time left for the body. Each received byte adds to it.
  private var bodyNanoseconds: Int64 = 0
  /// The number of incomplete writes, and the bytes written.
  private var writesPending = 0
  private var bytesWritten = 0
  /// The time of the last check, and the bytes that the client had received by then; `nil` if
  /// no write was pending. A client below the minimum rate also drains the buffer now and then,
  /// but rarely at the moment of a check.
  private var lastLook: (time: NIODeadline, bytesTaken: Int)?
  /// The time left for the answer. Each received byte adds to it.
  private var answerNanoseconds: Int64 = 0
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
    self.connections = connections
    self.unread = unread
    self.logger = logger
    header = TimeAmount(timeouts.header)
    headerBytesMax = configuration.limits.headerBytesMax
    stall = TimeAmount(timeouts.stall)
    rateMin = max(1, timeouts.bodyRateMin)
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
      startBodyClock(context)
    case .body(let bytes):
      countWait(context.eventLoop.now)
      bodyNanoseconds = min(
        bodyNanoseconds + Int64(bytes.readableBytes) * 1_000_000_000 / Int64(rateMin),
        stall.nanoseconds)
      wanted = nil
    case .end:
      wanted = nil
      state = .idle
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

  func read(context: ChannelHandlerContext) {
    if case .body = state, wanted == nil, requestsOpen <= 1 { wanted = context.eventLoop.now }
    context.read()
  }

  private func startBodyClock(_ context: ChannelHandlerContext) {
    bodyNanoseconds = stall.nanoseconds
    wanted = requestsOpen == 1 ? context.eventLoop.now : nil
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var bytes = 0
    switch unwrapOutboundIn(data) {
    case .head where requestsOpen == 0 && parserError != nil:
      // The framework's answer to a header that it cannot parse has no body. Its end follows.
      write(problemOfHeader, context)
      promise?.succeed()
      return
    case .head(let head):
      hasBegunAnswer = hasBegunAnswer || head.status.kind != .informational
      return context.write(data, promise: promise)
    case .body(let buffer): bytes = buffer.readableBytes
    case .end:
      hasBegunAnswer = false
      requestsOpen = max(0, requestsOpen - 1)
      switch state {
      case .body where requestsOpen == 1: startBodyClock(context)
      case .header where requestsOpen == 0: state = .header(since: context.eventLoop.now)
      default: break
      }
      begun = .now
    }
    let own = promise ?? context.eventLoop.makePromise(of: Void.self)
    writesPending += 1
    bytesWritten += bytes
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    own.futureResult.whenComplete { _ in bound.value.didWrite() }
    context.write(data, promise: own)
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard event is BodyIsWanted else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: promise)
  }

  /// Logs and counts an answer, unless its request has a handler.
  private func noteUnread(_ status: HTTPResponse.Status, bytes: Int) {
    guard requestsOpen == 0 else { return }
    unread.record(status, begun.duration(to: .now))
    AccessLogLine.logUnread(status, bytes: bytes, since: begun, logger)
  }

  // MARK: - Deadlines

  private func didWrite() { writesPending -= 1 }

  /// Subtracts the time since the last check from the time left for the answer, and adds the
  /// time earned by the bytes that the client has received since.
  ///
  /// - Returns: Whether any time is left.
  private func isAnswerTaken(_ context: ChannelHandlerContext, _ now: NIODeadline) -> Bool {
    guard writesPending > 0 else {
      lastLook = nil
      return true
    }
    let taken = bytesTaken(context)
    if let last = lastLook {
      let bytes = min(Int64(taken - last.bytesTaken), 1 << 32)
      let earned = bytes * 1_000_000_000 / Int64(rateMin)
      answerNanoseconds -= (now - last.time).nanoseconds
      answerNanoseconds = min(answerNanoseconds + earned, stall.nanoseconds)
    } else {
      answerNanoseconds = stall.nanoseconds
    }
    lastLook = (now, taken)
    return answerNanoseconds > 0
  }

  /// Returns the number of bytes that the client has received.
  private func bytesTaken(_ context: ChannelHandlerContext) -> Int {
    if let bytes = context.channel.bytesAcknowledged { return bytes }
    let waiting = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    return bytesWritten - (waiting ?? bytesWritten)
  }

  /// Subtracts the time spent waiting for the body from the time left for it.
  private func countWait(_ now: NIODeadline) {
    guard let since = wanted else { return }
    bodyNanoseconds -= (now - since).nanoseconds
    wanted = now
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
    guard isAnswerTaken(context, now) else { return context.close(promise: nil) }
    switch state {
    case .header(let since) where requestsOpen == 0 && now > since + header:
      return refuse(context, "the request's header did not arrive within \(header.seconds) s")
    case .body:
      countWait(now)
      if bodyNanoseconds < 0 {
        return refuse(context, "the body arrived slower than \(rateMin) bytes per second")
      }
    default: break
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
    noteUnread(head.status, bytes: body.readableBytes)
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
