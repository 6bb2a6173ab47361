import HTTPTypes
import Hummingbird
import NIOPosix

extension ServiceRequest {
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
    let pipe = OutboundPipe(piecesMax: Self.piecesMax)
    // Tied to the answer's body, which may never be read, as after a HEAD.
    let taker = OutboundPipe.Taker(pipe)
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
    let first = try await taker.next()
    return Response(
      status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
      body: ResponseBody { writer in
        var piece = first
        while let bytes = piece {
          try await writer.write(bytes)
          piece = try await taker.next()
        }
        try await writer.finish(nil)
      })
  }
}
