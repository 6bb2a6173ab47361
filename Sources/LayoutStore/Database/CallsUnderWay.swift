import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The calls in progress on a store's file, each by thread, and the generation that they read
/// from the index of the write-ahead log, which is mapped until the file is closed.
///
/// *Strategy.* A call begins and ends under one lock, under which the index is read too, so a
/// query pays for one lock more than for the read alone. Closing rejects new calls, waits until
/// no other thread is in a call, and then closes. A thread that is in a call may begin nested
/// calls in the meantime, since the outer call may need them to finish.
final class CallsUnderWay: Sendable {
  private enum Phase: Equatable {
    case open
    /// A thread waits for the calls of other threads, or makes the last calls.
    case closing(by: UInt)
    case closed
  }

  private struct State {
    var phase = Phase.open
    var index: WriteAheadIndex
    /// The thread of each call in progress, once per nested call.
    var threads: [UInt] = []
    /// The thread of each read transaction, once per nested one.
    var readers: [UInt] = []
  }

  private let path: String
  private let state: Mutex<State>
  /// Set when the file is being closed and no call is in progress.
  private let hasClosed = Atomic(false)
  /// Signalled when the last call that the closing thread waits for has ended.
  private let othersEnded = DispatchSemaphore(value: 0)
  /// Signalled when the file is closed, and again by each thread that has waited for that.
  private let closed = DispatchSemaphore(value: 0)

  init(path: String, index: WriteAheadIndex) {
    self.path = path
    state = Mutex(State(index: index))
  }

  /// Whether no call is in progress or can begin.
  var areOver: Bool { hasClosed.load(ordering: .acquiring) }

  /// Begins a call; `end()` must follow on the same thread.
  ///
  /// - Returns: As ``generation()``.
  /// - Throws: ``StoreError`` with `closed`.
  func begin() throws -> Int {
    let thread = currentThread
    return try state.withLock { state in
      guard state.phase == .open || state.threads.contains(thread) else {
        throw StoreError(.closed, path: path)
      }
      state.threads.append(thread)
      return state.index.generation()
    }
  }

  /// Ends the most recent call of this thread.
  func end() {
    let thread = currentThread
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

  /// Runs `body` as a read transaction of this thread; recorded in debug builds only.
  func reading<R>(_ body: () throws -> R) rethrows -> R {
    assert(record { $0.append($1) })
    defer {
      assert(
        record { readers, thread in _ = readers.lastIndex(of: thread).map { readers.remove(at: $0) }
        })
    }
    return try body()
  }

  private func record(_ change: (inout [UInt], UInt) -> Void) -> Bool {
    state.withLock { change(&$0.readers, currentThread) }
    return true
  }

  /// Whether this thread is in a read transaction, for assertions.
  var isReading: Bool {
    let thread = currentThread
    return state.withLock { $0.readers.contains(thread) }
  }

  /// Returns a number that increases when another connection has committed since the last call.
  func generation() -> Int { state.withLock { $0.index.generation() } }

  /// As `WriteAheadIndex.mayBeginLog`.
  var mayBeginLog: Bool { state.withLock { $0.index.mayBeginLog } }

  /// As `WriteAheadIndex.discardGeneration()`.
  func discardGeneration() { state.withLock { $0.index.discardGeneration() } }

  /// As `WriteAheadIndex.willCommit()`.
  func willCommit() { state.withLock { $0.index.willCommit() } }

  /// As `WriteAheadIndex.didEndTransaction(hasCommitted:)`.
  func didEndTransaction(hasCommitted: Bool) {
    state.withLock { $0.index.didEndTransaction(hasCommitted: hasCommitted) }
  }

  /// Waits for the calls of all other threads, and closes the file. If another thread closes it
  /// or has closed it, only waits until it is closed.
  ///
  /// - Parameters:
  ///   - last: Makes the last calls, on this thread.
  ///   - close: Closes the file.
  /// - Throws: ``StoreError`` with `inUse` if this thread is in a call, and nothing is done;
  ///   errors of `close`.
  func close(last: () -> Void, _ close: () throws -> Void) throws {
    let thread = currentThread
    let (isFirst, isAlone) = try state.withLock { state in
      if state.threads.contains(thread) { throw StoreError(.inUse, path: path) }
      guard state.phase == .open else { return (false, true) }
      state.phase = .closing(by: thread)
      // The closing thread counts as in a call, so that it may begin others.
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

  /// Whether this thread is in a call.
  var areOfThisThread: Bool {
    let thread = currentThread
    return state.withLock { $0.threads.contains(thread) }
  }
}

/// The thread that runs, among those of the process.
package var currentThread: UInt {
  // The type is an integer in one C library and a pointer in other ones.
  #if canImport(Glibc)
    UInt(pthread_self())
  #else
    UInt(bitPattern: pthread_self())
  #endif
}
