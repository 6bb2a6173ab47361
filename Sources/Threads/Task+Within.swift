import Synchronization

extension Task where Failure == any Error {
  /// Returns the task's result if there is one within a time, and otherwise cancels the task.
  ///
  /// - Parameter duration: `nil` for as long as it takes.
  /// - Returns: `nil` if the task was cancelled because it took too long.
  package nonisolated(nonsending) func value(within duration: Duration?) async throws -> Success? {
    guard let duration else { return try await value(until: nil) }
    return try await value { try await Task<Never, Never>.sleep(for: duration) }
  }

  /// Returns the task's result if there is one before `end` returns, and otherwise cancels the
  /// task. A task that blocks a thread continues to do so.
  ///
  /// - Parameter end: Runs concurrently with the task, and is cancelled once there is a result. If
  ///   it throws, as for `nil`, the task is waited for without an end.
  /// - Returns: `nil` if the task was cancelled because `end` returned.
  package nonisolated(nonsending) func value(
    until end: (@Sendable () async throws -> Void)?
  ) async throws -> Success? {
    let first = First<Success>()
    let ending = end.map { end in
      Task<Void, any Error> {
        try await end()
        first.take(.success(nil))
      }
    }
    let waiter = Task<Void, Never> {
      let result = await self.result
      first.take(result.map { $0 })
    }
    defer {
      ending?.cancel()
      waiter.cancel()
    }
    return try await withTaskCancellationHandler {
      let result = try await first.value()
      if result == nil { cancel() }
      return result
    } onCancel: {
      cancel()
    }
  }
}

/// The first of several results.
private final class First<Value: Sendable>: Sendable {
  private struct State {
    var result: Result<Value?, any Error>?
    var continuation: CheckedContinuation<Value?, any Error>?
  }

  private let state = Mutex(State())

  func take(_ result: Result<Value?, any Error>) {
    let continuation = state.withLock { state in
      guard state.result == nil else { return nil as CheckedContinuation<Value?, any Error>? }
      state.result = result
      return state.continuation.take()
    }
    continuation?.resume(with: result)
  }

  func value() async throws -> Value? {
    try await withCheckedThrowingContinuation { continuation in
      let result = state.withLock { state in
        if state.result == nil { state.continuation = continuation }
        return state.result
      }
      if let result { continuation.resume(with: result) }
    }
  }
}
