import Dispatch
import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

/// Batches of concurrent tasks, which are committed together.
@Suite(.timeLimit(.minutes(5))) struct GroupCommitTests {
  private let feed: TestFeed

  init() throws {
    var options = LayoutCacheOptions()
    options.durability = .power
    feed = try TestFeed(
      [OracleSection("s", sizes: (0..<100).map { (1, Double($0 % 7 + 1)) })],
      configuration: #"{"container":{"width":100},"section":{"columns":2}}"#, options: options)
    try feed.cache.prepare(LayoutID("layout", of: "feed"))
  }

  private var cache: LayoutCache { feed.cache }

  private func resize(_ number: Int, to height: Int) -> BatchOperation {
    .resize(key: "s-\(number)", size: Size(width: 1, height: Length(units: 64 * Int64(height))))
  }

  /// The number of transactions in the file's history, from the index of the write-ahead log.
  ///
  /// Source: "The WAL-Index File Format", https://www.sqlite.org/walformat.html.
  private func transactionCount() throws -> Int {
    let index = try Data(contentsOf: URL(filePath: feed.path + "-shm"))
    return Int(index[8..<12].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
  }

  /// Runs `body` while another thread holds the write lock, until `body` releases it.
  private func whileLocked<R>(
    _ body: (_ release: @escaping @Sendable () -> Void) async throws -> R
  ) async throws -> R {
    let (isHeld, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let store = cache.store
    let thread = Thread {
      try? store.write { _ in
        isHeld.signal()
        mayEnd.wait()
      }
    }
    thread.start()
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        isHeld.wait()
        continuation.resume()
      }
    }
    return try await body { mayEnd.signal() }
  }

  /// Waits until a number of batches has arrived.
  private func waitForBatches(_ count: Int, since before: Int = 0) async throws {
    while case (let waiting, let taken) = cache.commits.counts, waiting + taken < before + count {
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  @Test func sixtyFourClientsShareTransactions() async throws {
    let before = try transactionCount()
    let rounds = 3
    for round in 0..<rounds {
      let taken = cache.commits.counts.taken
      let revisions = try await whileLocked { release in
        try await withThrowingTaskGroup(of: Int.self) { group in
          for number in 0..<64 {
            group.addTask {
              try await cache.performUpdate("feed", with: [resize(number, to: 20 + round)]).revision
            }
          }
          try await waitForBatches(64, since: taken)
          release()
          return try await group.reduce(into: []) { $0.append($1) }
        }
      }
      #expect(revisions.sorted() == Array((2 + 64 * round)...(65 + 64 * round)))
    }
    // Each transaction is one sync with this durability.
    #expect(try transactionCount() - before <= rounds * 64 / 16)
    let log = try cache.log(of: "feed", limit: 1_000).map(\.revision)
    #expect(log.sorted() == Array(1...(1 + 64 * rounds)))
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func taskCancelledWhileWaitingChangesNothing() async throws {
    let (first, second) = try await whileLocked { release in
      let first = Task { try await cache.performUpdate("feed", with: [resize(1, to: 30)]) }
      while cache.commits.counts.taken < 1 { try await Task.sleep(for: .milliseconds(1)) }
      let second = Task { try await cache.performUpdate("feed", with: [resize(2, to: 30)]) }
      try await waitForBatches(2)
      // One is in a transaction and completes; the other ends before that.
      first.cancel()
      second.cancel()
      let result = await second.result
      #expect(cache.commits.counts == (0, 1))
      release()
      return (await first.result, result)
    }
    #expect(try first.get().revision == 2)
    #expect(throws: CancellationError.self) { try second.get() }
    #expect(try cache.dataset("feed").revision == 2)
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await cache.performUpdate("feed", with: [resize(3, to: 30)])
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(try cache.dataset("feed").revision == 2)
  }

  @Test func closingCompletesBegunBatchesAndRejectsTheOthers() async throws {
    let results = try await whileLocked { release in
      let first = Task { try await cache.performUpdate("feed", with: [resize(1, to: 30)]) }
      while cache.commits.counts.taken < 1 { try await Task.sleep(for: .milliseconds(1)) }
      let others = (2..<5).map { number in
        Task { try await cache.performUpdate("feed", with: [resize(number, to: 30)]) }
      }
      try await waitForBatches(4)
      let closing = Task { try await onThread { try cache.close() } }
      // Calls are rejected once closing has begun.
      while (try? cache.dataset("feed")) != nil { try await Task.sleep(for: .milliseconds(1)) }
      release()
      var results = [await first.result]
      for other in others { results.append(await other.result) }
      try await closing.value
      return results
    }
    #expect(try results[0].get().revision == 2)
    for result in results.dropFirst() {
      let error = #expect(throws: LayoutCacheError.self) { try result.get() }
      if case .closed? = error?.code { continue }
      Issue.record("\(String(describing: error))")
    }
    let again = try LayoutCache(path: feed.path)
    #expect(try again.dataset("feed").revision == 2)
  }

  private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }
}
