import Synchronization

/// A lock for each key that suspends waiting tasks without blocking a thread.
///
/// A task that has waited does not hold the lock: the holder's result may be all that it needs,
/// so it checks again. Otherwise a hundred requests for one layout that must be computed would
/// occupy all threads for blocking work.
package final class AsyncKeyedLock<Key: Hashable & Sendable>: Sendable {
  private struct State {
    /// The waiting tasks, by the keys whose locks are held.
    var waiting: [Key: [Int: CheckedContinuation<Void, any Error>]] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Acquires the lock of a key if it is free; ``release(_:)`` must follow. Otherwise waits
  /// until it is released, or this task is cancelled, and acquires nothing.
  ///
  /// - Returns: Whether this task holds the lock. After `false` the caller checks again whether
  ///   it needs the lock, and whether it is cancelled.
  /// - Throws: The failure with which the lock was released.
  package nonisolated(nonsending) func acquireOrWait(_ key: Key) async throws -> Bool {
    let number: Int? = state.withLock { state in
      guard state.waiting[key] != nil else {
        state.waiting[key] = [:]
        return nil
      }
      state.lastNumber += 1
      return state.lastNumber
    }
    guard let number else { return true }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isWaiting = state.withLock { state in
          // The lock may have been released, or the task cancelled, in the meantime.
          guard state.waiting[key] != nil, !Task.isCancelled else { return false }
          state.waiting[key]?[number] = continuation
          return true
        }
        if !isWaiting { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting[key]?.removeValue(forKey: number) }?.resume()
    }
    return false
  }

  /// The number of tasks that wait for the lock of a key.
  package func waitingCount(of key: Key) -> Int { state.withLock { $0.waiting[key]?.count ?? 0 } }

  /// Releases a lock acquired by ``acquireOrWait(_:)``, and wakes all waiting tasks.
  ///
  /// - Parameter failure: An error of the holder that each waiting task would meet too; they fail
  ///   with it, instead of trying one after another.
  package func release(_ key: Key, failing failure: (any Error)? = nil) {
    let waiting = state.withLock { $0.waiting.removeValue(forKey: key) }
    let result = failure.map { Result.failure($0) } ?? .success(())
    for continuation in (waiting ?? [:]).values { continuation.resume(with: result) }
  }
}
