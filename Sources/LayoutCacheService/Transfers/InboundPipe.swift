import Dispatch
import NIOCore
import Synchronization

/// Bytes in transit from a task, which must never block, to a thread, which may: the body of an
/// import.
///
/// The pipe is bounded. A client that sends faster than the thread reads is slowed down by its
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

  /// Passes a piece to the thread, once there is room.
  ///
  /// - Returns: Whether the thread accepts further pieces.
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

  /// Marks the end of the pieces, and its reason.
  func finish(_ end: Result<Void, any Error>) {
    state.withLock { $0.end = end }
    arrivals.signal()
  }

  /// Waits for the next piece.
  ///
  /// - Returns: `nil` at the end.
  /// - Throws: The reason of an abnormal end.
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

  /// Ends reading; further pieces are discarded.
  func close() {
    let writer = state.withLock { state in
      state.isClosed = true
      state.pieces = []
      return state.writer.take()
    }
    writer?.resume()
  }
}
