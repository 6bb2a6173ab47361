import HTTPTypes
import Hummingbird
import NIOCore
import TextFormats

/// A request's body, read in pieces.
///
/// The first read sends `100 Continue` to a client that expects it (`Expect: 100-continue`), so
/// that such a client sends no body if the request is rejected.
// One task at a time reads it: the handler's task, then the one that writes the answer.
final class BodyStream: @unchecked Sendable {
  private var iterator: RequestBody.AsyncIterator
  private let channel: any Channel
  private var waitsToBeAsked: Bool
  private(set) var isAtEnd: Bool
  private var deadline: Scheduled<Void>?
  /// The whole body, once it was read.
  private var collected: ByteBuffer?
  /// The number of bytes announced by the client, if it did.
  private let announcedBytes: Int?
  /// The decoder of a compressed body, and the received bytes that it has not decoded.
  private let inflater: Inflater?
  private var packed = ByteBuffer()
  /// The maximum number of bytes decoded at once, which become at most 1,032 times as many.
  private static let packedBytesMax = 4_096

  init(_ request: Request, _ channel: any Channel) {
    iterator = request.body.makeAsyncIterator()
    self.channel = channel
    waitsToBeAsked = request.headers[.expect]?.lowercased() == "100-continue"
    inflater = request.headers.hasGzipBody ? Inflater() : nil
    announcedBytes = inflater == nil ? request.contentLength : nil
    isAtEnd = !request.hasBody
  }

  deinit { deadline?.cancel() }

  /// Ends the request with 408 if the body does not arrive in time, from now on.
  func mustEnd(within limit: Duration) {
    if isAtEnd { return }
    deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limit)) { [channel] in
      BodyIsLate(detail: "the body did not arrive within \(limit)").trigger(on: channel)
    }
  }

  /// Returns the next piece, decoded; `nil` at the end.
  ///
  /// - Throws: ``Problem`` with 400 for a truncated body, as when the client disconnects;
  ///   `ImportError`.
  func next() async throws -> ByteBuffer? {
    guard let inflater else { return try await nextReceived() }
    while true {
      if packed.readableBytes == 0 {
        guard let piece = try await nextReceived() else {
          try inflater.finish()
          return nil
        }
        packed = piece
      }
      let bytes = packed.readSlice(length: min(packed.readableBytes, Self.packedBytesMax))
      var decoded = ByteBuffer()
      _ = try bytes?.withUnsafeReadableBytes {
        try inflater.inflate($0) { decoded.writeBytes($0) }
      }
      if decoded.readableBytes > 0 { return decoded }
    }
  }

  /// Returns the next piece as it was received.
  private func nextReceived() async throws -> ByteBuffer? {
    if isAtEnd { return nil }
    if waitsToBeAsked {
      waitsToBeAsked = false
      do {
        try await channel.triggerUserOutboundEvent(BodyIsWanted()).get()
      } catch ChannelError.operationUnsupported {
        // The server belongs to another application and has no `ConnectionGuard`. Clients send
        // the body after a timeout anyway: RFC 9110, section 10.1.1.
      }
    }
    do {
      if let piece = try await iterator.next() { return piece }
    } catch let error as CancellationError {
      throw error
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(.badRequest, "the body ended early, or its framing is invalid")
    }
    isAtEnd = true
    deadline?.cancel()
    return nil
  }

  /// Returns the whole body; again to a handler that runs again.
  ///
  /// - Throws: ``Problem`` with 413 for a body of more bytes, without reading the rest.
  func collect(bytesMax: Int) async throws -> ByteBuffer {
    func tooMuch() -> Problem {
      Problem(.contentTooLarge, "the body has more than \(bytesMax) bytes, the limit")
    }
    if let collected { return collected }
    if let announcedBytes, announcedBytes > bytesMax { throw tooMuch() }
    var body = ByteBuffer()
    while var piece = try await next() {
      if body.readableBytes + piece.readableBytes > bytesMax { throw tooMuch() }
      body.writeBuffer(&piece)
    }
    collected = body
    return body
  }

  /// Reads and discards a bounded part of the body of a rejected request, so that the client
  /// sees the answer before the connection closes.
  func drain() async {
    // A client that waits for `100 Continue` does not send it.
    if waitsToBeAsked { return }
    let end = ContinuousClock.now + .seconds(1)
    var bytes = 0
    do {
      while bytes < 64 << 10, ContinuousClock.now < end, let piece = try await nextReceived() {
        bytes += piece.readableBytes
      }
    } catch {
      // The client has disconnected.
    }
  }
}

/// An outbound event that a handler triggers when it reads the body of a request.
struct BodyIsWanted: Sendable {}

/// An outbound event that ends the request whose body arrives too slowly.
struct BodyIsLate: Sendable {
  let detail: String

  func trigger(on channel: any Channel) {
    // On a server of another application the connection stays open.
    channel.triggerUserOutboundEvent(self, promise: nil)
  }
}

/// The connection was closed after an answer.
private struct ConnectionEnded: Error {}

extension Response {
  /// Closes the connection after this answer: the request's body was not read, so the following
  /// bytes could be anything.
  mutating func closeAfterwards(draining stream: BodyStream, _ channel: any Channel) {
    headers[.connection] = "close"
    let body = body
    self.body = ResponseBody(contentLength: body.contentLength) { writer in
      try await body.write(writer)
      let end = channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
      await stream.drain()
      end.cancel()
      try? await channel.close()
      // Otherwise the framework parses the bytes received so far as another request.
      throw ConnectionEnded()
    }
  }
}

extension ByteBuffer {
  /// A whole body as text.
  ///
  /// - Throws: ``Problem`` with 400 for bytes that are not UTF-8.
  var text: String {
    get throws {
      guard let text = String(validating: readableBytesView, as: UTF8.self) else {
        throw Problem(.badRequest, "the body is not UTF-8")
      }
      return text
    }
  }
}
