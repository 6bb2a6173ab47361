import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import LayoutCacheService

/// Deadlines of connections, with a simulated clock.
@Suite struct ConnectionGuardTests {
  private static let head = HTTPRequestPart.head(
    HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/"))

  private let metrics = RequestMetrics()
  private var metricsText: String {
    var text = PrometheusText()
    metrics.write(to: &text)
    return text.text
  }

  private func channel() throws -> EmbeddedChannel {
    var configuration = ServiceConfiguration()
    configuration.timeouts.header = .seconds(10)
    configuration.timeouts.answer = .seconds(20)
    let channel = EmbeddedChannel(
      handler: ConnectionGuard(
        configuration, OpenConnections(), metrics.route("-", "-"),
        Logger(label: "test")))
    channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    return channel
  }

  private func status(_ channel: EmbeddedChannel) throws -> Int? {
    while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
      if case .head(let head) = part { return head.status.code }
    }
    return nil
  }

  @Test func missingRequestHeadTimesOut() throws {
    let channel = try channel()
    channel.embeddedEventLoop.advanceTime(by: .seconds(9))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(3))
    #expect(try status(channel) == 408 && !channel.isActive)
    #expect(metricsText.contains(Self.unread + " 1\n"))
  }

  /// The header of a later request has the limit of the first from its first byte on, or from the
  /// end of the previous answer. Without a byte the connection is idle.
  @Test(arguments: [false, true]) func partialHeadOfALaterRequestTimesOut(
    isPipelined: Bool
  ) throws {
    let channel = try channel()
    try channel.writeInbound(Self.head)
    try channel.writeInbound(HTTPRequestPart.end(nil))
    if isPipelined { channel.pipeline.fireChannelReadComplete() }
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    try answer(channel)
    #expect(try status(channel) == 200)
    if !isPipelined {
      channel.embeddedEventLoop.advanceTime(by: .hours(1))
      channel.pipeline.fireChannelReadComplete()
    }
    channel.embeddedEventLoop.advanceTime(by: .seconds(6))
    channel.pipeline.fireChannelReadComplete()
    channel.embeddedEventLoop.advanceTime(by: .seconds(3))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(3))
    #expect(try status(channel) == 408 && !channel.isActive)
  }

  /// A request with a handler is counted there.
  private static let unread =
    #"layoutcache_http_requests_total{route="-",method="-",status="4xx"}"#

  @Test func aLateBodyIsAnswered() throws {
    let channel = try channel()
    try channel.writeInbound(Self.head)
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(channel.isActive)
    BodyIsLate(detail: "late").trigger(on: channel)
    #expect(try status(channel) == 408 && !channel.isActive)
    #expect(!metricsText.contains(Self.unread))
  }

  /// Nothing is sent in the middle of an answer or after it.
  @Test(arguments: [false, true]) func aLateBodyHasNoSecondAnswer(
    isEnded: Bool
  ) throws {
    let channel = try channel()
    try channel.writeInbound(Self.head)
    try answer(channel, isEnded: isEnded)
    #expect(try status(channel) == 200)
    BodyIsLate(detail: "late").trigger(on: channel)
    #expect(throws: Problem.self) { try channel.throwIfErrorCaught() }
    #expect(try status(channel) == nil && !channel.isActive)
  }

  private func answer(_ channel: EmbeddedChannel, isEnded: Bool = true) throws {
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    if isEnded { try channel.writeOutbound(HTTPResponsePart.end(nil)) }
  }

  @Test func anAnswerThatIsNotTakenEndsTheConnection() throws {
    let channel = try channel()
    try channel.writeInbound(Self.head)
    try channel.writeInbound(HTTPRequestPart.end(nil))
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    // Each piece has its own time.
    for isTaken in [true, false] {
      channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 1, count: 9)), promise: nil)
      channel.embeddedEventLoop.advanceTime(by: .seconds(15))
      #expect(channel.isActive)
      if isTaken { channel.flush() }
    }
    channel.embeddedEventLoop.advanceTime(by: .seconds(7))
    #expect(!channel.isActive)
  }

  @Test func continueIsSentWhenTheBodyIsRead() async throws {
    let channel = try channel()
    try channel.writeInbound(Self.head)
    #expect(try status(channel) == nil)
    channel.triggerUserOutboundEvent(BodyIsWanted(), promise: nil)
    #expect(try status(channel) == 100)
  }
}
