import Dispatch
import NIOCore
import Synchronization

/// Bytes on their way from a task, which must never block, to a thread, which may: what a
/// client sends to an import.
///
/// It holds a bounded number of them; a client that sends faster is slowed down by its
/// connection.
final class InboundPipe: Sendable {
  private struct State {
    var pieces: [ByteBuffer] = []
    var bytes = 0
    var end: Result<Void, any Error>?
    var isClosed = false
    var writer: CheckedContinuation<Void, Never>?
  }

  private let bytesMax: Int
  private let state = Mutex(State())
  /// Counts the pieces, and the end.
  private let arrivals = DispatchSemaphore(value: 0)

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// Hands a piece to the thread, once there is room for it.
  ///
  /// - Returns: Whether the thread wants more.
  func give(_ piece: ByteBuffer) async -> Bool {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let mayGoOn = state.withLock { state in
        if state.isClosed || state.bytes < bytesMax { return true }
        state.writer = continuation
        return false
      }
      if mayGoOn { continuation.resume() }
    }
    let isWanted = state.withLock { state in
      if state.isClosed { return false }
      state.pieces.append(piece)
      state.bytes += piece.readableBytes
      return true
    }
    if isWanted { arrivals.signal() }
    return isWanted
  }

  /// Says that no more pieces come, and why.
  func finish(_ end: Result<Void, any Error>) {
    state.withLock { $0.end = end }
    arrivals.signal()
  }

  /// Waits for the next piece.
  ///
  /// - Returns: `nil` at the end.
  /// - Throws: Why there no longer exists, where that is no proper end.
  func take() throws -> ByteBuffer? {
    arrivals.wait()
    let (piece, end, writer) = state.withLock {
      state -> (ByteBuffer?, Result<Void, any Error>?, CheckedContinuation<Void, Never>?) in
      guard !state.pieces.isEmpty else { return (nil, state.end, nil) }
      let piece = state.pieces.removeFirst()
      state.bytes -= piece.readableBytes
      let writer = state.bytes < bytesMax ? state.writer.take() : nil
      return (piece, nil, writer)
    }
    writer?.resume()
    if piece == nil { try end?.get() }
    return piece
  }

  /// Says that the thread takes no more.
  func close() {
    let writer = state.withLock { state in
      state.isClosed = true
      state.pieces = []
      return state.writer.take()
    }
    writer?.resume()
  }
}
