import AsyncAlgorithms
import HTTPTypes
import Hummingbird
import LayoutCache
import NIOCore
import ServiceLifecycle

/// A streaming answer: server-sent events until there are no further ones, the client
/// disconnects, or the service stops.
enum EventStream {
  static let type = "text/event-stream"
  private static let heartbeat = Duration.seconds(15)

  /// A message that is sent whole: no heartbeat interrupts it.
  fileprivate enum Message: Sendable {
    case text(ByteBuffer)
    case event(SharedEvent)
  }

  /// Sends events to a client.
  struct Sender: Sendable {
    fileprivate let messages: AsyncChannel<Message>

    /// Sends an event, and waits until the stream has accepted it.
    func send(_ event: ByteBuffer) async { await messages.send(.text(event)) }

    /// Sends an event that other streams send too, and waits until the stream has accepted it.
    func send(_ event: SharedEvent) async { await messages.send(.event(event)) }
  }

  /// - Parameter produce: Sends the events, each after the stream has accepted the previous
  ///   one. It is cancelled when the stream ends.
  /// - Throws: ``Problem`` with 503 if too many streams are open.
  static func response(
    to request: ServiceRequest,
    _ produce: @escaping @Sendable (Sender) async throws -> Void
  ) throws -> Response {
    try request.http.requireChunks()
    // Without a buffer, events that the client does not read wait in the bounded queue.
    let messages = AsyncChannel<Message>()
    // Retained by the body: the permit is returned when the body has ended, or was never requested.
    let place = try request.service.streams.take(for: request.client) {
      if (try? request.requireAccess()) == nil { messages.finish() }
    }
    // The tokens may have been replaced since the request was admitted.
    try request.requireAccess()
    var headers = HTTPFields()
    headers[.contentType] = type
    headers[.cacheControl] = "no-cache, no-transform"
    headers[.accelBuffering] = "no"
    let (http, channel) = (request.http, request.context.channel)
    let body = ResponseBody { writer in
      defer { withExtendedLifetime(place) {} }
      try await withGracefulShutdownHandler {
        try await http.body.consumeWithInboundCloseHandler { _ in
          try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
              defer { messages.finish() }
              try await produce(Sender(messages: messages))
            }
            if let end = request.caller.grant?.end {
              group.addTask {
                let left = end - WallClock.system.now() / 1000
                try await Task.sleep(for: .seconds(max(0, left)))
                messages.finish()
              }
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
  /// Prevents a proxy from buffering the stream.
  fileprivate static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
