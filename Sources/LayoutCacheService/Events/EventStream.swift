import AsyncAlgorithms
import HTTPTypes
import Hummingbird
import LayoutCache
import NIOCore
import ServiceLifecycle

/// An answer that continues: server-sent events until there no longer exist, the client is gone, or
/// the service stops.
enum EventStream {
  static let type = "text/event-stream"
  private static let heartbeat = Duration.seconds(15)

  /// A text that is sent as a whole: no heartbeat comes between its pieces.
  fileprivate enum Message: Sendable {
    case text(ByteBuffer)
    case event(SharedEvent)
  }

  /// Takes events for a client.
  struct Sender: Sendable {
    fileprivate let messages: AsyncChannel<Message>

    /// Sends an event, and waits until it has been taken.
    func send(_ event: ByteBuffer) async { await messages.send(.text(event)) }

    /// Sends an event that other streams send too, and waits until it has been taken.
    func send(_ event: SharedEvent) async { await messages.send(.event(event)) }
  }

  /// - Parameter produce: Sends what the client is to be told, each when the one before has
  ///   been taken; it is cancelled when the stream ends.
  /// - Throws: ``Problem`` with 503 where too many streams are open.
  static func response(
    to exchange: Exchange,
    _ produce: @escaping @Sendable (Sender) async throws -> Void
  ) throws -> Response {
    // Kept by the body: free again when that has ended, or was never asked for.
    let place = try exchange.service.streams.take()
    var headers = HTTPFields()
    headers[.contentType] = type
    headers[.cacheControl] = "no-cache, no-transform"
    headers[.accelBuffering] = "no"
    let (request, channel) = (exchange.request, exchange.context.channel)
    let body = ResponseBody { writer in
      defer { withExtendedLifetime(place) {} }
      // Without a buffer: what the client does not take waits where it is bounded.
      let messages = AsyncChannel<Message>()
      try await withGracefulShutdownHandler {
        try await request.body.consumeWithInboundCloseHandler { _ in
          try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
              defer { messages.finish() }
              try await produce(Sender(messages: messages))
            }
            group.addTask {
              while true {
                try await Task.sleep(for: heartbeat)
                await messages.send(.text(EventText.heartbeat))
              }
            }
            defer { group.cancelAll() }
            try await writer.write(EventText.beginning)
            for await message in messages {
              switch message {
              case .text(let text): try await writer.write(text)
              case .event(let event):
                try await event.write(to: &writer, of: channel) { EventText.text(of: $0) }
              }
            }
          }
        } onInboundClosed: {
          messages.finish()
        }
      } onGracefulShutdown: {
        messages.finish()
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: headers, body: body)
  }
}

extension HTTPField.Name {
  /// Keeps a proxy from collecting what is to be sent on at once.
  fileprivate static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
