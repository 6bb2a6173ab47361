import Hummingbird
import LayoutCache
import NIOCore

extension SharedEvent {
  /// The maximum number of bytes of a text that one client's connection buffers.
  private static let pieceBytes = 16 << 10

  /// The text was evicted after the client had received a part of it. The stream ends, and the
  /// client reconnects.
  struct Dropped: Error {}

  /// Writes the text in pieces, each copied when the client has received the previous one. A client
  /// that does not read holds some pieces; the text itself is stored once for all clients.
  ///
  /// - Parameters:
  ///   - channel: The channel that `writer` writes to.
  ///   - replacement: Returns the text for an event without one.
  /// - Throws: ``Dropped``, and the errors of `writer` and `replacement`.
  func write(
    to writer: inout any ResponseBodyWriter, of channel: any Channel,
    or replacement: (CommitEvent) throws -> ByteBuffer
  ) async throws {
    var sent = 0
    while true {
      let (piece, isLast) = try piece(from: sent, or: replacement)
      sent += piece.readableBytes
      try await writer.write(piece)
      if isLast { return }
      // The writer accepts pieces until the connection's event loop reports that it is full,
      // which on a busy machine happens only after all pieces.
      try await channel.eventLoop.submit {}.get()
    }
  }

  /// Returns the next piece. The text itself is not retained while the piece is sent.
  private func piece(
    from start: Int, or replacement: (CommitEvent) throws -> ByteBuffer
  ) throws -> (bytes: ByteBuffer, isLast: Bool) {
    switch content {
    case .event(let event):
      guard start == 0 else { throw Dropped() }
      return (try replacement(event), true)
    case .text(let text):
      let end = min(start + Self.pieceBytes, text.count)
      return (ByteBuffer(bytes: text[start..<end]), end == text.count)
    }
  }
}
