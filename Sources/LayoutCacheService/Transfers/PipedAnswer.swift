import HTTPTypes
import Hummingbird
import NIOPosix

extension ServiceRequest {
  /// Acquires a permit of the client.
  ///
  /// - Throws: ``Problem`` with 503 if none is free.
  func place(of places: Places) throws -> Places.Place { try places.take(for: client) }

  /// The pieces of an answer that wait for its client.
  private static let piecesMax = 4

  /// Returns an answer of any length that a thread writes, in constant memory. If writing fails,
  /// the answer ends without its last chunk, so that clients detect the truncation.
  ///
  /// - Parameters:
  ///   - place: A permit, returned when the thread has ended.
  ///   - write: Puts pieces into the pipe. Once the client has disconnected, that throws.
  /// - Throws: The errors of `write` before its first piece.
  func piped(
    type: String, on threads: NIOThreadPool, holding place: Places.Place,
    _ write: @escaping @Sendable (OutboundPipe) throws -> Void
  ) async throws -> Response {
    try http.requireChunks()
    let pipe = OutboundPipe(piecesMax: Self.piecesMax)
    let (pace, channel) = (TransferPace(service.configuration.timeouts), context.channel)
    // Tied to the answer's body, which may never be read, as after a HEAD.
    let reader = OutboundPipe.Reader(pipe)
    Task {
      do {
        try await threads.runIfActive { try write(pipe) }
        pipe.finish(.success(()))
      } catch {
        pipe.finish(.failure(error))
      }
      // Held while the thread is busy, even if the client has disconnected.
      withExtendedLifetime(place) {}
    }
    // Before the answer's head, so that errors still become problems.
    let first = try await reader.next()
    return Response(
      status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
      body: ResponseBody { writer in
        let watch = pace.watch(on: channel) { channel.close(promise: nil) }
        defer { watch.cancel() }
        var piece = first
        while let bytes = piece {
          pace.waits()
          try await writer.write(bytes)
          pace.moved(bytes.readableBytes)
          piece = try await reader.next()
        }
        try await writer.finish(nil)
      })
  }
}
