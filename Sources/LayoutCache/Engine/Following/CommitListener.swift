import LayoutGeometry
import Synchronization

/// The queued events of one listener, bounded in number. Their memory is bounded for all
/// listeners together (``EventMemory``).
final class CommitListener: Sendable {
  /// The properties that listeners must have in common to share events.
  struct Audience: Hashable {
    /// The names of the layouts whose contexts the listener receives.
    var layouts: [String]
    /// The writer of the commits; `nil` for listeners that receive values.
    var writer: (any CommitWriting.Type)?

    static func == (one: Audience, other: Audience) -> Bool {
      one.layouts.map(ExactKey.init) == other.layouts.map(ExactKey.init)
        && one.writer.map { ObjectIdentifier($0) } == other.writer.map { ObjectIdentifier($0) }
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(layouts.map(ExactKey.init))
      hasher.combine(writer.map { ObjectIdentifier($0) })
    }
  }

  let audience: Audience
  let queueCountMax: Int

  private enum End {
    case finished
    case failed(any Error)
  }

  private struct State {
    var events: [SharedEvent] = []
    /// The callers waiting for an event, in order of arrival; empty while events are queued.
    var waiting: [(number: Int, continuation: CheckedContinuation<SharedEvent?, any Error>)] = []
    var lastNumber = 0
    /// The end of the stream, after the queued events.
    var end: End?

    /// Removes and returns the first event, or the last of several consecutive resets.
    mutating func takeEvent() -> SharedEvent {
      var count = 1
      while count < events.count, events[count - 1].isReset, events[count].isReset { count += 1 }
      defer { events.removeFirst(count) }
      return events[count - 1]
    }
  }

  private let state = Mutex(State())

  /// - Precondition: `queueCountMax` is positive.
  init(_ audience: Audience, queueCountMax: Int) {
    self.audience = audience
    self.queueCountMax = queueCountMax
  }

  /// The names of the layouts whose contexts the listener receives.
  var layouts: [String] { audience.layouts }

  /// Queues a commit. If the queue is full, its content is replaced by a reset.
  ///
  /// - Parameter event: The event for the commit.
  func tell(_ commit: Commit, as event: SharedEvent) {
    tell(event, orReset: .reset(revision: commit.revision, incarnation: commit.incarnation))
  }

  /// Queues an event that is not a commit, or one of a listener's initial events.
  func tell(_ event: SharedEvent) { tell(event, orReset: nil) }

  /// Queues an event. If the queue is full, its content is replaced by `reset`, if given.
  func tell(_ event: SharedEvent, orReset reset: CommitEvent?) {
    let first = state.withLock { state -> CheckedContinuation<SharedEvent?, any Error>? in
      guard state.end == nil else { return nil }
      if !state.waiting.isEmpty { return state.waiting.removeFirst().continuation }
      if let reset, state.events.count >= queueCountMax {
        state.events = [SharedEvent(reset)]
      } else {
        state.events.append(event)
      }
      return nil
    }
    first?.resume(returning: event)
  }

  /// Ends the stream after the queued events.
  func end(throwing error: (any Error)? = nil) {
    let waiting = state.withLock { state in
      guard state.end == nil else { return state.waiting }
      defer { state.waiting = [] }
      state.end = error.map(End.failed) ?? .finished
      // An error is thrown only once.
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

  /// Ends the stream immediately and discards the queued events.
  func cancel() {
    state.withLock { state in
      state.events = []
      if case .failed = state.end { state.end = .finished }
    }
    end()
  }

  /// Waits for the next event and returns it.
  ///
  /// - Returns: `nil` after the last event, or if the task is cancelled, which ends the stream.
  nonisolated(nonsending) func next() async throws -> SharedEvent? {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<SharedEvent?, any Error>? = state.withLock { state in
          if Task.isCancelled { return .success(nil) }
          if !state.events.isEmpty { return .success(state.takeEvent()) }
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
