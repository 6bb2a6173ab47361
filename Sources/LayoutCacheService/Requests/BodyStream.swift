import HTTPTypes
import Hummingbird
import NIOCore

/// A request's body, read piece by piece.
///
/// A client that waits to be asked for the body (`Expect: 100-continue`) is asked at the
/// first piece, so that a refusal costs it nothing.
// One task at a time reads it: the handler's, and when that has returned the one that
// writes the answer.
final class BodyStream: @unchecked Sendable {
  private var iterator: RequestBody.AsyncIterator
  private let channel: any Channel
  private var waitsToBeAsked: Bool
  private(set) var isAtEnd: Bool
  /// What the client says its bytes are, if it does.
  let announcedBytes: Int?

  init(_ request: Request, _ channel: any Channel) {
    iterator = request.body.makeAsyncIterator()
    self.channel = channel
    waitsToBeAsked = request.headers[.expect]?.lowercased() == "100-continue"
    announcedBytes = request.contentLength
    isAtEnd = !request.hasBody
  }

  /// The next piece; `nil` at the end.
  ///
  /// - Throws: ``Problem`` with 400 for a body that is not whole, as where the client is gone.
  func next() async throws -> ByteBuffer? {
    if isAtEnd { return nil }
    if waitsToBeAsked {
      waitsToBeAsked = false
      do {
        try await channel.triggerUserOutboundEvent(BodyIsWanted()).get()
      } catch ChannelError.operationUnsupported {
        // The server is another application's and has no `ConnectionGuard`. Clients send the body
        // after some time without being asked: RFC 9110, section 10.1.1.
      }
    }
    do {
      if let piece = try await iterator.next() { return piece }
    } catch let error as CancellationError {
      throw error
    } catch {
      throw Problem(.badRequest, "the body ended before its end, or is not framed as it says")
    }
    isAtEnd = true
    return nil
  }

  /// The whole body.
  ///
  /// - Throws: ``Problem`` with 413 where it has more bytes, without reading those.
  func collect(bytesMax: Int) async throws -> ByteBuffer {
    func tooMuch() -> Problem {
      Problem(.tooMuch, "the body has more than \(bytesMax) bytes, which is the limit")
    }
    if let announcedBytes, announcedBytes > bytesMax { throw tooMuch() }
    var body = ByteBuffer()
    while var piece = try await next() {
      if body.readableBytes + piece.readableBytes > bytesMax { throw tooMuch() }
      body.writeBuffer(&piece)
    }
    return body
  }

  /// Reads on what a client is still sending though it has been refused, so that it sees
  /// the answer before the connection ends; a little of it.
  func drain() async {
    // Who waits to be asked for the body does not send it.
    if waitsToBeAsked { return }
    let end = ContinuousClock.now + .seconds(1)
    var bytes = 0
    do {
      while bytes < 64 << 10, ContinuousClock.now < end, let piece = try await next() {
        bytes += piece.readableBytes
      }
    } catch {
      // The client is gone.
    }
  }
}

/// Sent down a connection when a handler wants the body of a request.
struct BodyIsWanted: Sendable {}

/// The connection has been closed with an answer.
private struct ConnectionEnded: Error {}

extension Response {
  /// Makes the connection end with this answer: the body of its request was not read, and
  /// what follows it could be anything.
  mutating func closeAfterwards(draining stream: BodyStream, _ channel: any Channel) {
    headers[.connection] = "close"
    let body = body
    self.body = ResponseBody(contentLength: body.contentLength) { writer in
      try await body.write(writer)
      let end = channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
      await stream.drain()
      end.cancel()
      try? await channel.close()
      // Otherwise the framework goes through what has come already for another request.
      throw ConnectionEnded()
    }
  }
}
