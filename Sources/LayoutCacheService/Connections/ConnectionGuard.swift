import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Ends connections of clients that keep the service waiting, and asks those for their
/// body that wait to be asked.
///
/// A client has a deadline for the header of a request, from the first byte of the
/// connection or from the end of the answer before; a body and an answer must continue at a
/// least rate. What the service itself takes is no client's fault: of a body only the time
/// counts in which it is wanted, of an answer that in which some of it can't be sent. A
/// client has taken what its system has acknowledged.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private enum State {
    /// Between two requests, where the framework's idle timeout rules.
    case idle
    case header(since: NIODeadline)
    case body
    case answering
  }

  private let header: TimeAmount
  private let stall: TimeAmount
  private let rateMin: Int
  private var state = State.idle
  /// When the body was last waited for; `nil` while nobody reads it.
  private var wanted: NIODeadline?
  /// What is left of the time for the body: more with each byte.
  private var bodyNanoseconds: Int64 = 0
  /// The writes that the connection has not taken as a whole, and what they have brought.
  private var writesPending = 0
  private var bytesWritten = 0
  /// When it was last looked, and what the client had taken by then; `nil` where no write
  /// waited. A client that is slower than the rate empties the buffer now and then too, but
  /// hardly when one looks.
  private var lastLook: (time: NIODeadline, bytesTaken: Int)?
  /// What is left of the time for the answer: more with each byte that is taken.
  private var answerNanoseconds: Int64 = 0
  private var check: Scheduled<Void>?

  init(_ timeouts: ServiceTimeouts) {
    header = TimeAmount(timeouts.header)
    stall = TimeAmount(timeouts.stall)
    rateMin = max(1, timeouts.bodyRateMin)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    state = .header(since: context.eventLoop.now)
    context.channel.boundUnsentBytes()
    scheduleCheck(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { check?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    check?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      state = .body
      bodyNanoseconds = stall.nanoseconds
      wanted = context.eventLoop.now
    case .body(let bytes):
      countWait(context.eventLoop.now)
      bodyNanoseconds = min(
        bodyNanoseconds + Int64(bytes.readableBytes) * 1_000_000_000 / Int64(rateMin),
        stall.nanoseconds)
      wanted = nil
    case .end:
      wanted = nil
      if case .body = state { state = .answering }
    }
    context.fireChannelRead(data)
  }

  func read(context: ChannelHandlerContext) {
    if case .body = state, wanted == nil { wanted = context.eventLoop.now }
    context.read()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var bytes = 0
    switch unwrapOutboundIn(data) {
    case .head: return context.write(data, promise: promise)
    case .body(let buffer): bytes = buffer.readableBytes
    case .end: state = .idle
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

  // MARK: - Deadlines

  private func didWrite() { writesPending -= 1 }

  /// Takes the time since the last look off what is left for the answer, and adds what the
  /// bytes have earned that the client has taken since.
  ///
  /// - Returns: Whether any is left.
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

  /// The bytes that the client has taken.
  private func bytesTaken(_ context: ChannelHandlerContext) -> Int {
    if let bytes = context.channel.bytesAcknowledged { return bytes }
    let waiting = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    return bytesWritten - (waiting ?? bytesWritten)
  }

  /// Takes the time that the body was waited for off what is left for it.
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
    // An answer that is not taken needs no answer.
    guard isAnswerTaken(context, now) else { return context.close(promise: nil) }
    switch state {
    case .header(let since) where now > since + header:
      return refuse(context, "the header of a request did not come within \(header.seconds) s")
    case .body:
      countWait(now)
      if bodyNanoseconds < 0 {
        return refuse(context, "the body came in slower than \(rateMin) bytes a second")
      }
    default: break
    }
    scheduleCheck(context)
  }

  /// Answers 408, where no answer has begun, and closes.
  private func refuse(_ context: ChannelHandlerContext, _ detail: String) {
    let problem = Problem(.slowClient, detail)
    var fields = problem.headerFields
    fields.addProtection()
    let body = ByteBuffer(bytes: problem.json)
    fields[.connection] = "close"
    fields[.contentLength] = String(body.readableBytes)
    let head = HTTPResponse(status: problem.kind.status, headerFields: fields)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: nil)
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      bound.value.close(promise: nil)
    }
  }
}

extension TimeAmount {
  fileprivate var seconds: Int64 { nanoseconds / 1_000_000_000 }
}
