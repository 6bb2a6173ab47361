import CollectionLayout
import Dispatch
import Foundation
import LayoutGeometry
import Synchronization
import TestSupport
import Testing
import Threads

@testable import LayoutCache

@Suite(.timeLimit(.minutes(10))) struct AsyncCallTests {
  private static let configuration = #"{"container":{"width":100},"section":{"columns":2}}"#
  private static let layout = LayoutID("layout", of: "feed")

  private final class Count: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func increment() { count.add(1, ordering: .relaxed) }
  }

  /// An executor supplied by the program, and its number of calls.
  private final class CountingExecutor: TaskExecutor {
    let threads = WorkerThreads(countMax: 2)
    let jobs = Count()

    func enqueue(_ job: consuming ExecutorJob) {
      jobs.increment()
      let job = UnownedJob(job)
      Task.detached(executorPreference: threads) {
        job.runSynchronously(on: self.asUnownedTaskExecutor())
      }
    }
  }

  private struct Feed {
    let directory: TemporaryDirectory
    let cache: LayoutCache
    var path: String { directory.path(of: "feed.sqlite") }
  }

  private func makeFeed(
    itemCount: Int = 400, executor: (any TaskExecutor)? = nil, clock: WallClock = .system
  ) throws -> Feed {
    let directory = try TemporaryDirectory()
    let cache = try LayoutCache(
      path: directory.path(of: "feed.sqlite"), executor: executor, clock: clock)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<itemCount {
        try importer.add(
          Item(key: "s-\(number)", width: 3, height: Double(number % 7 + 1)), section: "s")
      }
    }
    try cache.setLayout(Self.layout, to: ConfigurationText.decode(Self.configuration))
    return Feed(directory: directory, cache: cache)
  }

  @Test func blockingCallsRunOnTheChosenExecutor() async throws {
    let executor = CountingExecutor()
    let feed = try makeFeed(executor: executor)
    func jobs() -> Int { executor.jobs.value }
    #expect(jobs() == 0)
    let description = try await feed.cache.perform { try $0.dataset("feed") }
    #expect(description.itemCount == 400)
    #expect(jobs() > 0)
    // Cold: it is laid out.
    let before = jobs()
    let height = try await feed.cache.performRead(Self.layout) { $0.contentSize.height }
    #expect(height > .zero)
    #expect(jobs() > before)
    // Warm: it is answered on the caller's thread.
    let warm = jobs()
    let again = try await feed.cache.performRead(Self.layout) { $0.contentSize.height }
    #expect(again == height)
    #expect(jobs() == warm)
  }

  @Test func aReadIsWarmAfterACommitToALayoutInUse() throws {
    let feed = try makeFeed()
    func warm() throws -> Int? { try feed.cache.readIfWarm(Self.layout) { $0.revision } }
    #expect(try warm() == nil)
    try feed.cache.prepare(Self.layout)
    #expect(try warm() == 1)
    try feed.cache.update("feed", with: [.delete(keys: ["s-7"])])
    #expect(try warm() == 2)
    // Commits of another process must be read first.
    let other = try LayoutCache(path: feed.path)
    try other.update("feed", with: [.delete(keys: ["s-8"])])
    #expect(try warm() == nil)
    #expect(try feed.cache.read(Self.layout) { $0.revision } == 3)
    #expect(try warm() == 3)
    // Another configuration is laid out first; the last result remains available.
    try feed.cache.setLayout(
      Self.layout, to: ConfigurationText.decode(#"{"container":{"width":50}}"#))
    #expect(try warm() == nil)
    #expect(try feed.cache.readIfWarm(Self.layout, freshness: .last) { $0.revision } == 3)
    try feed.cache.close()
    #expect(throws: LayoutCacheError.self) { try warm() }
  }

  @Test func aCancelledTaskDoesNotBegin() async throws {
    let feed = try makeFeed()
    let begun = Count()
    for isWarm in [false, true] {
      if isWarm { try await feed.cache.performPrepare(Self.layout) }
      let reading = Task { [cache = feed.cache] in
        withUnsafeCurrentTask { $0?.cancel() }
        _ = try await cache.performRead(Self.layout) { snapshot in
          begun.increment()
          return snapshot.revision
        }
      }
      await #expect(throws: CancellationError.self) { try await reading.value }
    }
    let updating = Task { [cache = feed.cache] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await cache.perform { try $0.update("feed", with: [.delete(keys: ["s-7"])]) }
    }
    await #expect(throws: CancellationError.self) { try await updating.value }
    #expect(begun.value == 0)
    #expect(try feed.cache.dataset("feed").itemCount == 400)
  }

  /// A hundred requests for a cold layout must not fill all threads, each waiting for the first.
  @Test func waitingForALayoutUsesNoThread() async throws {
    let feed = try makeFeed(itemCount: 20_000)
    let threads = try #require(feed.cache.executor as? WorkerThreads)
    let revisions = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<100 {
        group.addTask { try await feed.cache.performRead(Self.layout) { $0.revision } }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(revisions == Array(repeating: 1, count: 100))
    #expect(threads.threadCount == 1)
  }

  @Test func progressIncreasesAndEndsWithAllItems() async throws {
    // Each look at the clock takes a while, so that everything is reported.
    let time = Atomic<Int64>(0)
    let clock = WallClock { time.add(20, ordering: .relaxed).newValue }
    let feed = try makeFeed(itemCount: 5000, clock: clock)
    let reports = Mutex<[LayoutProgress]>([])
    let preparation = try await feed.cache.performPrepare(Self.layout) { progress in
      reports.withLock { $0.append(progress) }
    }
    #expect(preparation.context?.invalidateEverything == true)
    let placed = reports.withLock { $0.map(\.placedItems) }
    #expect(placed.count > 10)
    #expect(placed == placed.sorted() && Set(placed).count == placed.count)
    #expect(placed.last == 5000)
    #expect(reports.withLock { $0.allSatisfy { $0.itemCount == 5000 } })
    // Nothing is left to do.
    try await feed.cache.performPrepare(Self.layout) { _ in Issue.record("nothing is laid out") }
    // The blocking form reports the same, but rarely if the clock stands still.
    try feed.cache.setLayout(
      Self.layout, to: ConfigurationText.decode(#"{"container":{"width":50}}"#))
    let still = try LayoutCache(path: feed.path, clock: WallClock { 7 })
    var seldom: [Int] = []
    try prepare(still) { seldom.append($0.placedItems) }
    #expect(seldom.count == 2 && seldom.last == 5000)
  }

  private func prepare(
    _ cache: LayoutCache, _ report: @escaping (LayoutProgress) -> Void
  ) throws {
    try cache.prepare(Self.layout, reporting: report)
  }

  private func contents(_ path: String) throws -> [String: [[RawDatabase.Value]]] {
    let database = try RawDatabase(path: path)
    var contents: [String: [[RawDatabase.Value]]] = [:]
    for table in ["nodes", "remains", "layouts", "datasets", "log"] {
      contents[table] = try database.rows("SELECT * FROM \(table)")
    }
    return contents
  }

  @Test func aCancelledLayoutLeavesTheFileUnchanged() async throws {
    let time = Atomic<Int64>(0)
    let clock = WallClock { time.add(100, ordering: .relaxed).newValue }
    let feed = try makeFeed(itemCount: 60_000, clock: clock)
    let before = try contents(feed.path)
    let placed = Mutex(0)
    let layingOut = Task { [cache = feed.cache] in
      try await cache.performPrepare(Self.layout) { progress in
        placed.withLock { $0 = progress.placedItems }
        // By then it has written nodes.
        if progress.placedItems > 40_000 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await layingOut.value }
    let count = placed.withLock { $0 }
    #expect(count > 40_000 && count < 50_000)
    #expect(try contents(feed.path) == before)
    // The next call starts from scratch.
    #expect(try await feed.cache.performRead(Self.layout) { $0.itemCount } == 60_000)
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func itemsArrivingInPiecesAreImported() async throws {
    let feed = try makeFeed()
    let (items, source) = AsyncStream.makeStream(of: Int.self)
    let importing = Task { [cache = feed.cache] in
      try await cache.importItems(into: "other", mode: .create) { importer in
        for await number in items {
          try importer.add(Item(key: "\(number)", width: 1, height: 1), section: "t")
        }
      }
    }
    for number in 0..<500 { source.yield(number) }
    source.finish()
    let summary = try await importing.value
    #expect(summary.itemCount == 500 && summary.revision == 1)
    #expect(try feed.cache.dataset("other").itemCount == 500)
    // All or none.
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await feed.cache.importItems(
        into: "third", mode: .create,
        adding: { importer in
          try importer.add(Item(key: "a", width: 1, height: 1))
          throw Failure()
        })
    }
    let cancelled = Task { [cache = feed.cache] in
      try await cache.importItems(
        into: "third", mode: .create,
        adding: { importer in
          try importer.add(Item(key: "a", width: 1, height: 1))
          withUnsafeCurrentTask { $0?.cancel() }
        })
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    await #expect(throws: LayoutCacheError.self) {
      try await feed.cache.importItems(
        into: "feed", mode: .create, adding: { _ in Issue.record("the dataset exists") })
    }
    #expect(try feed.cache.datasets().map(\.name) == ["feed", "other"])
  }

  @Test func releasingACacheEndsItsThreads() async throws {
    weak var threads: WorkerThreads?
    weak var cache: LayoutCache?
    do {
      let feed = try makeFeed()
      _ = try await feed.cache.commits(of: "feed")
      _ = try await feed.cache.perform { try $0.datasets() }
      threads = feed.cache.executor as? WorkerThreads
      cache = feed.cache
      #expect(threads?.threadCount == 1)
    }
    #expect(cache == nil)
    // The last job's thread may still be releasing it.
    for _ in 0..<60_000 where threads != nil { try await Task.sleep(for: .milliseconds(1)) }
    #expect(threads == nil)
  }
}
