import Dispatch
import NIOCore
import Synchronization

/// Bytes on their way from a thread, which may block, to a task, which must not: what an
/// export gives to a client.
///
/// It holds a bounded number of pieces; the thread waits for a client that takes them more
/// slowly.
final class OutboundPipe: Sendable {
  private struct State {
    var pieces: [ByteBuffer] = []
    var end: Result<Void, any Error>?
    var isClosed = false
    var reader: CheckedContinuation<Void, Never>?
  }

  /// The reader is gone.
  struct Closed: Error {}

  private let state = Mutex(State())
  private let room: DispatchSemaphore

  init(piecesMax: Int) {
    // Dispatch traps where a semaphore goes with less than it began with, as it does when a
    // client leaves; so it begins with nothing.
    room = DispatchSemaphore(value: 0)
    for _ in 0..<piecesMax { room.signal() }
  }

  /// Waits until there is room, and hands a piece to the task.
  ///
  /// - Throws: ``Closed`` where nobody takes it.
  func put(_ piece: ByteBuffer) throws {
    room.wait()
    let (isClosed, reader) = state.withLock {
      state -> (Bool, CheckedContinuation<Void, Never>?) in
      if state.isClosed { return (true, nil) }
      state.pieces.append(piece)
      return (false, state.reader.take())
    }
    reader?.resume()
    if isClosed { throw Closed() }
  }

  /// Says that no more pieces come, and why.
  func finish(_ end: Result<Void, any Error>) {
    let reader = state.withLock { state in
      state.end = end
      return state.reader.take()
    }
    reader?.resume()
  }

  /// The side that takes: when it goes, whether it has taken anything or not, nobody takes
  /// any more.
  final class Taker: Sendable {
    private let pipe: OutboundPipe

    init(_ pipe: OutboundPipe) { self.pipe = pipe }

    /// As ``OutboundPipe/next()``.
    func next() async throws -> ByteBuffer? { try await pipe.next() }

    deinit { pipe.close() }
  }

  /// The next piece; `nil` at the end.
  ///
  /// - Throws: Why there no longer exists, where that is no proper end.
  func next() async throws -> ByteBuffer? {
    while true {
      let (piece, end) = state.withLock { state -> (ByteBuffer?, Result<Void, any Error>?) in
        state.pieces.isEmpty ? (nil, state.end) : (state.pieces.removeFirst(), nil)
      }
      if let piece {
        room.signal()
        return piece
      }
      if let end {
        try end.get()
        return nil
      }
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let hasNews = state.withLock { state in
          if !state.pieces.isEmpty || state.end != nil { return true }
          state.reader = continuation
          return false
        }
        if hasNews { continuation.resume() }
      }
    }
  }

  /// Says that nobody takes any more.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.pieces = []
    }
    room.signal()
  }
}
