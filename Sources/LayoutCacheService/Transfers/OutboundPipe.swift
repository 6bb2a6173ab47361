import Dispatch
import NIOCore
import Synchronization

/// Bytes in transit from a thread, which may block, to a task, which must not: the text of an
/// export.
///
/// The pipe is bounded: the thread waits if the client reads more slowly than the thread writes.
final class OutboundPipe: Sendable {
  private struct State {
    var pieces: [ByteBuffer] = []
    var end: Result<Void, any Error>?
    var isClosed = false
    var reader: CheckedContinuation<Void, Never>?
  }

  /// The reader has closed the pipe.
  struct Closed: Error {}

  private let state = Mutex(State())
  private let room: DispatchSemaphore

  init(piecesMax: Int) {
    // Dispatch traps if a semaphore is released with a lower value than it was created with,
    // which happens when a client disconnects. So it is created with 0.
    room = DispatchSemaphore(value: 0)
    for _ in 0..<piecesMax { room.signal() }
  }

  /// Waits until there is room, and passes a piece to the task.
  ///
  /// - Throws: ``Closed`` if the reader has closed the pipe.
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

  /// Marks the end of the pieces, and its reason.
  func finish(_ end: Result<Void, any Error>) {
    let reader = state.withLock { state in
      state.end = end
      return state.reader.take()
    }
    reader?.resume()
  }

  /// The reading side. Its deallocation closes the pipe, whether or not anything was read.
  final class Reader: Sendable {
    private let pipe: OutboundPipe

    init(_ pipe: OutboundPipe) { self.pipe = pipe }

    /// Returns the next piece, as ``OutboundPipe/next()``.
    func next() async throws -> ByteBuffer? { try await pipe.next() }

    deinit { pipe.close() }
  }

  /// Returns the next piece; `nil` at the end.
  ///
  /// - Throws: The reason of an abnormal end.
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

  /// Ends reading; further pieces are discarded.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.pieces = []
    }
    room.signal()
  }
}
