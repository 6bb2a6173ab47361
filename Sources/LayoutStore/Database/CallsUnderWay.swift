import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The calls that use a store's file, each by the thread that makes it, and what they
/// learn from the index of the write-ahead log, which is mapped until the file is closed.
///
/// *Strategy.* A call begins and ends after one lock, under which the index is looked
/// at too: a query pays for one lock more than for the look alone. Whoever closes turns
/// away calls that begin, waits until no other thread is in a call, and closes then. A
/// thread that is in a call may begin others in the meantime: the call under way may need
/// them to come to its end.
final class CallsUnderWay: Sendable {
  private typealias ThreadID = UInt

  private enum Phase: Equatable {
    case open
    /// A thread waits for the calls of the others, or does what comes last.
    case closing(by: ThreadID)
    case closed
  }

  private struct State {
    var phase = Phase.open
    var index: WriteAheadIndex
    /// The thread of each call under way; as often as its calls are nested.
    var threads: [ThreadID] = []
  }

  private let path: String
  private let state: Mutex<State>
  /// Set once the file is being closed, when no call is under way any more.
  private let hasClosed = Atomic(false)
  /// Signalled when the last call has ended for which the closing thread waits.
  private let othersEnded = DispatchSemaphore(value: 0)
  /// Signalled when the file is closed, and by each that has waited for that.
  private let closed = DispatchSemaphore(value: 0)

  init(path: String, index: WriteAheadIndex) {
    self.path = path
    state = Mutex(State(index: index))
  }

  /// Whether calls can't begin any more, and none is under way.
  var areOver: Bool { hasClosed.load(ordering: .acquiring) }

  /// Begins a call; `end()` must follow in the same thread.
  ///
  /// - Returns: As ``generation()``.
  /// - Throws: ``StoreError`` with `closed`.
  func begin() throws -> Int {
    let thread = Self.currentThread
    return try state.withLock { state in
      guard state.phase == .open || state.threads.contains(thread) else {
        throw StoreError(.closed, path: path)
      }
      state.threads.append(thread)
      return state.index.generation()
    }
  }

  /// Ends the call that this thread has begun last.
  func end() {
    let thread = Self.currentThread
    let isAwaited = state.withLock { state in
      guard let place = state.threads.lastIndex(of: thread) else {
        preconditionFailure("a call that ends has begun")
      }
      state.threads.swapAt(place, state.threads.count - 1)
      state.threads.removeLast()
      guard case .closing(let closer) = state.phase, closer != thread else { return false }
      return state.threads == [closer]
    }
    if isAwaited { othersEnded.signal() }
  }

  /// A number that rises when another connection has committed since the last look.
  func generation() -> Int { state.withLock { $0.index.generation() } }

  /// As `WriteAheadIndex.willCommit()`.
  func willCommit() { state.withLock { $0.index.willCommit() } }

  /// As `WriteAheadIndex.didEndTransaction(hasCommitted:)`.
  func didEndTransaction(hasCommitted: Bool) {
    state.withLock { $0.index.didEndTransaction(hasCommitted: hasCommitted) }
  }

  /// Waits for the calls of all other threads, and closes; where that has been done,
  /// or is being done by another thread, waits until it is.
  ///
  /// - Parameters:
  ///   - last: Calls of this thread that come last.
  ///   - close: Closes the file.
  /// - Throws: ``StoreError`` with `inUse` where this thread is in a call, and then
  ///   nothing is done; what `close` throws.
  func close(last: () -> Void, _ close: () throws -> Void) throws {
    let thread = Self.currentThread
    let (isFirst, isAlone) = try state.withLock { state in
      if state.threads.contains(thread) { throw StoreError(.inUse, path: path) }
      guard state.phase == .open else { return (false, true) }
      state.phase = .closing(by: thread)
      // The closing thread is in a call too, and may begin others.
      state.threads.append(thread)
      return (true, state.threads.count == 1)
    }
    guard isFirst else {
      closed.wait()
      closed.signal()
      return
    }
    if !isAlone { othersEnded.wait() }
    last()
    state.withLock { state in
      assert(state.threads == [thread])
      state.phase = .closed
      state.threads = []
      state.index.forgetPage()
    }
    hasClosed.store(true, ordering: .releasing)
    defer { closed.signal() }
    try close()
  }

  private static var currentThread: ThreadID {
    // A number in one C library, a pointer in the others.
    #if canImport(Glibc)
      UInt(pthread_self())
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }
}
