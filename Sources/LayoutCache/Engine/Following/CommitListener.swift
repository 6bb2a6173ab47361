import Synchronization

/// The events that wait for one listener: a bounded number of them.
final class CommitListener: Sendable {
  /// The names of the layouts whose contexts are wanted.
  let layouts: [String]
  let queueCountMax: Int

  private enum End {
    case finished
    case failed(any Error)
  }

  private struct State {
    var events: [CommitEvent] = []
    /// Those who wait for an event, the first to come first; only where no event waits.
    var waiting: [(number: Int, continuation: CheckedContinuation<CommitEvent?, any Error>)] = []
    var lastNumber = 0
    /// What comes behind the events.
    var end: End?
  }

  private let state = Mutex(State())

  /// - Precondition: `queueCountMax` is positive.
  init(layouts: [String], queueCountMax: Int) {
    self.layouts = layouts
    self.queueCountMax = queueCountMax
  }

  /// The number of events that wait.
  var queueCount: Int { state.withLock { $0.events.count } }

  /// Whether nobody takes events any more.
  var hasEnded: Bool { state.withLock { $0.end != nil } }

  /// Tells an event. Where the queue is full, what is in it gives way to a reset.
  func tell(_ event: CommitEvent) {
    let first = state.withLock { state -> CheckedContinuation<CommitEvent?, any Error>? in
      guard state.end == nil else { return nil }
      if !state.waiting.isEmpty { return state.waiting.removeFirst().continuation }
      if case .commit(let commit) = event, state.events.count >= queueCountMax {
        state.events = [.reset(revision: commit.revision, incarnation: commit.incarnation)]
      } else {
        state.events.append(event)
      }
      return nil
    }
    first?.resume(returning: event)
  }

  /// Ends behind the events that wait.
  func end(throwing error: (any Error)? = nil) {
    let waiting = state.withLock { state in
      guard state.end == nil else { return state.waiting }
      defer { state.waiting = [] }
      state.end = error.map(End.failed) ?? .finished
      // An error is thrown once.
      if !state.waiting.isEmpty { state.end = .finished }
      return state.waiting
    }
    for (place, waiter) in waiting.enumerated() {
      if place == 0, let error {
        waiter.continuation.resume(throwing: error)
      } else {
        waiter.continuation.resume(returning: nil)
      }
    }
  }

  /// Ends at once: what waits is let go of.
  func cancel() {
    state.withLock { state in
      state.events = []
      if case .failed = state.end { state.end = .finished }
    }
    end()
  }

  /// Takes the next event, waiting for it.
  ///
  /// - Returns: `nil` behind the last one, and where the task is cancelled, which ends it.
  nonisolated(nonsending) func next() async throws -> CommitEvent? {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<CommitEvent?, any Error>? = state.withLock { state in
          if Task.isCancelled { return .success(nil) }
          if !state.events.isEmpty { return .success(state.events.removeFirst()) }
          switch state.end {
          case .finished: return .success(nil)
          case .failed(let error):
            state.end = .finished
            return .failure(error)
          case nil:
            state.waiting.append((number, continuation))
            return nil
          }
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      cancel()
    }
  }
}
