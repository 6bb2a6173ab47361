import LayoutCache
import Synchronization

/// The work that brings layouts up to date, which requests wait for only for a time.
///
/// One task does the work of all requests with the same key, and continues when they leave.
final class Preparations: Sendable {
  enum Key: Hashable {
    case read(LayoutID)
    case view(LayoutID, DatasetView)
    /// The work of one request.
    case request(String)
  }

  private let secondsMax: Duration
  private let tasks = Mutex<[Key: Task<Void, any Error>]>([:])

  init(secondsMax: Duration) { self.secondsMax = secondsMax }

  /// Waits for the end of a layout's work, which begins if it has not.
  ///
  /// - Throws: ``Problem`` with `preparing` after the maximum time; `CancellationError`; errors of
  ///   `work`.
  func wait(
    for key: Key, _ work: @escaping @Sendable () async throws -> Void
  ) async throws {
    let task = tasks.withLock { tasks in
      if let task = tasks[key] { return task }
      let task = Task {
        defer { self.tasks.withLock { $0[key] = nil } }
        try await work()
      }
      tasks[key] = task
      return task
    }
    let (ends, end) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingOldest(1))
    Task {
      _ = await task.result
      end.yield(true)
    }
    let timer = Task {
      try await Task.sleep(for: secondsMax)
      end.yield(false)
    }
    defer { timer.cancel() }
    var iterator = ends.makeAsyncIterator()
    switch await iterator.next() {
    case true?: try await task.value
    case false?:
      throw Problem(.preparing, "the layout is being brought up to date")
    case nil: throw CancellationError()
    }
  }

  /// Ends all work, for shutdown.
  func endAll() { for task in tasks.withLock({ Array($0.values) }) { task.cancel() } }
}
