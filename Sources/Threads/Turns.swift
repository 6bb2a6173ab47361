import Synchronization

/// Sees to it that one task at a time works on a thing, and lets the others wait without
/// a thread.
///
/// A hundred requests for one cold layout would otherwise fill all threads for what blocks,
/// each waiting for the first of them.
package final class Turns<Key: Hashable & Sendable>: Sendable {
  private struct State {
    /// Those who wait for the end of what is under way, by the thing.
    var waiting: [Key: [Int: CheckedContinuation<Void, Never>]] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Begins to work on a thing; ``end(_:)`` must follow. Where another task is at it, waits
  /// until it has ended, or until this task is cancelled.
  ///
  /// - Returns: Whether the work has begun.
  package nonisolated(nonsending) func begin(_ key: Key) async -> Bool {
    let number: Int? = state.withLock { state in
      guard state.waiting[key] != nil else {
        state.waiting[key] = [:]
        return nil
      }
      state.lastNumber += 1
      return state.lastNumber
    }
    guard let number else { return true }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          // It may have ended, or the task been cancelled, since.
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

  /// Ends what ``begin(_:)`` has begun.
  package func end(_ key: Key) {
    let waiting = state.withLock { $0.waiting.removeValue(forKey: key) }
    for continuation in (waiting ?? [:]).values { continuation.resume() }
  }
}
