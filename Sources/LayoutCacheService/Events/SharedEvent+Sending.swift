import Hummingbird
import LayoutCache
import NIOCore

extension SharedEvent {
  /// The bytes of a text that the connection of one client holds at a time.
  private static let pieceBytes = 16 << 10

  /// The text was dropped when the client had a part of it: the client gets nothing further, and
  /// asks again.
  struct Dropped: Error {}

  /// Writes the text piece by piece, each copied when the client has taken the one before:
  /// a client that does not read holds some of them, and the text is there once for all.
  ///
  /// - Parameters:
  ///   - channel: The one that `writer` writes to.
  ///   - replacement: What is written for an event without a text.
  /// - Throws: ``Dropped``, and what `writer` and `replacement` throw.
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
      // The writer takes pieces until it hears from the connection's loop that it is full,
      // which on a busy machine is after all of them.
      try await channel.eventLoop.submit {}.get()
    }
  }

  /// The next piece: the text itself is not held while that is being sent.
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
