import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// No test depends on time: commits of this process wake the listeners, and the tests make the cache
// poll for commits of other processes.
@Suite(.timeLimit(.minutes(10))) struct CommitStreamTests {
  private static let configuration = #"{"container":{"width":100},"section":{"columns":2}}"#

  private static var options: LayoutCacheOptions {
    var options = LayoutCacheOptions()
    options.lookInterval = nil
    return options
  }

  /// A feed with a prepared layout.
  private func makeFeed(options: LayoutCacheOptions = Self.options) throws -> TestFeed {
    let sizes = (0..<40).map { number -> (Double, Double) in
      (Double(number % 7 + 1), Double(number % 5 + 1))
    }
    let feed = try TestFeed(
      [OracleSection("s", sizes: sizes)], configuration: Self.configuration, options: options)
    try prepare(feed)
    return feed
  }

  private func prepare(_ feed: TestFeed) throws {
    try feed.cache.prepare(LayoutID("layout", of: "feed"))
  }

  private func resize(_ number: Int, to height: Double) throws -> [BatchOperation] {
    [
      .resize(
        key: "s-\(number)", size: Size(width: .points(10), height: Length(points: height) ?? .zero))
    ]
  }

  private func otherCache(_ feed: TestFeed) throws -> LayoutCache {
    try LayoutCache(path: feed.path, options: Self.options, sectionLayouts: TestKinds.all)
  }

  /// Returns the next event, which must be a commit.
  private func nextCommit(_ iterator: inout Commits.Iterator) async throws -> Commit {
    let event = try await iterator.next()
    guard case .commit(let commit) = event else {
      throw Unexpected(description: "\(String(describing: event)) is no commit")
    }
    return commit
  }

  private struct Unexpected: Error {
    var description: String
  }

  @Test func aLayoutGivesEverythingUntilItIsLaidOut() async throws {
    let feed = try makeFeed()
    try feed.cache.setLayout(
      LayoutID("late", of: "feed"), to: ConfigurationText.decode(Self.configuration))
    var iterator = try await feed.cache.commits(of: "feed", layouts: ["late"])
      .makeAsyncIterator()
    try feed.cache.update("feed", with: resize(7, to: 50))
    #expect(try await nextCommit(&iterator).layouts.map(\.context) == [.everything(.notFollowed)])
    try await feed.cache.performPrepare(LayoutID("late", of: "feed"))
    let commit = try feed.cache.update("feed", with: resize(8, to: 50))
    var received = try await nextCommit(&iterator).layouts
    received[0].context.work = LayoutWork()
    var expected = try #require(commit.layouts.first { $0.layout == "late" })
    expected.context.work = LayoutWork()
    #expect(received == [expected])
  }

  /// By the clock, as in a server: the only test that waits for it.
  @Test func commitsOfOthersAreFoundByTheTimer() async throws {
    let feed = try makeFeed()
    let other = try LayoutCache(path: feed.path)
    var iterator = try await other.commits(of: "feed").makeAsyncIterator()
    let commit = try feed.cache.update("feed", with: resize(7, to: 50))
    #expect(try await nextCommit(&iterator).revision == commit.revision)
  }

  // A hundred: each wait of a listener may be queued for as long as another test computes.
  @Test func aHundredListenersCostOneReplayPerCommit() async throws {
    let feed = try makeFeed()
    var iterators: [Commits.Iterator] = []
    for _ in 0..<100 {
      iterators.append(
        try await feed.cache.commits(of: "feed", layouts: ["layout"]).makeAsyncIterator())
    }
    for number in 0..<3 {
      let commit = try feed.cache.update("feed", with: resize(number, to: 60))
      for index in iterators.indices {
        #expect(try await nextCommit(&iterators[index]).revision == commit.revision)
      }
      #expect(feed.cache.following.commitCount == number + 1)
    }
    #expect(feed.cache.following.followerCount == 1)
    iterators = []
    #expect(feed.cache.following.followerCount == 0)
  }

  @Test func aSlowListenerIsReset() async throws {
    let feed = try makeFeed()
    var slow = try await feed.cache.commits(of: "feed", queueCountMax: 4).makeAsyncIterator()
    var quick = try await feed.cache.commits(of: "feed").makeAsyncIterator()
    let start = try feed.cache.dataset("feed")
    for number in 0..<10 { try feed.cache.update("feed", with: resize(number, to: 60)) }
    // The slow listener registered first, and is notified first.
    for _ in 0..<10 { _ = try await nextCommit(&quick) }
    let reset = try await slow.next()
    #expect(reset == .reset(revision: start.revision + 9, incarnation: start.incarnation))
    #expect(try await nextCommit(&slow).revision == start.revision + 10)
  }

  @Test func listenersThatCannotContinueAreReset() async throws {
    let feed = try makeFeed()
    let start = try feed.cache.dataset("feed")
    for number in 0..<6 { try feed.cache.update("feed", with: resize(number, to: 60)) }
    let reset = CommitEvent.reset(revision: start.revision + 6, incarnation: start.incarnation)
    var tooFar = try await feed.cache.commits(
      of: "feed", after: start.revision, queueCountMax: 5
    ).makeAsyncIterator()
    #expect(try await tooFar.next() == reset)
    var ahead = try await feed.cache.commits(of: "feed", after: 100).makeAsyncIterator()
    #expect(try await ahead.next() == reset)
    var other = try await feed.cache.commits(
      of: "feed", after: start.revision + 6, incarnation: "another"
    ).makeAsyncIterator()
    #expect(try await other.next() == reset)
    // It continues from there.
    let commit = try feed.cache.update("feed", with: resize(7, to: 60))
    #expect(try await nextCommit(&other).revision == commit.revision)
  }

  /// Before the commits that follow; the incarnation is that of a result of the configuration.
  @Test func listenersAreToldOfNewConfigurationsOfTheirLayouts() async throws {
    let feed = try makeFeed()
    let (layout, other) = (LayoutID("layout", of: "feed"), try otherCache(feed))
    let result = try feed.cache.read(layout) { $0.resultIncarnation }
    var all = try await feed.cache.commits(of: "feed").makeAsyncIterator()
    var one = try await feed.cache.commits(of: "feed", layouts: ["layout"]).makeAsyncIterator()
    let (present, third) = (
      try ConfigurationText.decode(Self.configuration),
      try ConfigurationText.decode(Self.configuration.replacing("2", with: "3"))
    )
    try feed.cache.setLayout(LayoutID("late", of: "feed"), to: present)
    #expect(try await all.next() == .layout("late", incarnation: ""))
    for (configuration, expected) in [(third, ""), (present, result)] {
      try other.setLayout(layout, to: configuration)
      feed.cache.following.look()
      #expect(try await all.next() == .layout("layout", incarnation: expected))
      #expect(try await one.next() == .layout("layout", incarnation: expected))
    }
    // Neither is another configuration.
    try feed.cache.setLayout(layout, to: present)
    try feed.cache.renameLayout(LayoutID("late", of: "feed"), to: "later")
    try feed.cache.restorePreviousConfiguration(of: layout)
    #expect(try await one.next() == .layout("layout", incarnation: ""))
    try prepare(feed)
    let commit = try feed.cache.update("feed", with: resize(7, to: 50))
    let told = try await nextCommit(&one)
    #expect(told.layouts.map(\.incarnation) == commit.layouts.map(\.incarnation))
  }

  @Test func newConfigurationsFillAQueueLikeCommits() async throws {
    let feed = try makeFeed()
    var slow = try await feed.cache.commits(of: "feed", queueCountMax: 2).makeAsyncIterator()
    var quick = try await feed.cache.commits(of: "feed").makeAsyncIterator()
    let start = try feed.cache.dataset("feed")
    for columns in 3...5 {
      let text = Self.configuration.replacing("2", with: "\(columns)")
      try feed.cache.setLayout(LayoutID("layout", of: "feed"), to: ConfigurationText.decode(text))
      #expect(try await quick.next() == .layout("layout", incarnation: ""))
    }
    let reset = CommitEvent.reset(revision: start.revision, incarnation: start.incarnation)
    #expect(try await slow.next() == reset)
  }

  @Test func revisionsMissingFromTheLogCauseAReset() async throws {
    let feed = try makeFeed()
    let other = try otherCache(feed)
    var iterator = try await other.commits(of: "feed").makeAsyncIterator()
    for number in 0..<6 { try feed.cache.update("feed", with: resize(number, to: 60)) }
    try feed.cache.checkpoint()
    let present = try feed.cache.dataset("feed")
    try RawDatabase(path: feed.path).execute("DELETE FROM log WHERE revision < \(present.revision)")
    other.following.look()
    #expect(
      try await iterator.next()
        == .reset(revision: present.revision, incarnation: present.incarnation))
    let commit = try feed.cache.update("feed", with: resize(7, to: 70))
    other.following.look()
    #expect(try await nextCommit(&iterator).revision == commit.revision)
  }

  @Test func deletingADatasetEndsItsListeners() async throws {
    let feed = try makeFeed()
    let other = try otherCache(feed)
    let old = try await other.commits(of: "feed")
    var there = old.makeAsyncIterator()
    var here = try await feed.cache.commits(of: "feed").makeAsyncIterator()
    try feed.cache.removeDataset("feed")
    #expect(try await here.next() == .gone)
    #expect(try await here.next() == nil)
    // Another process only sees that it is a different dataset.
    try feed.importItems([OracleSection("t", sizes: [(1, 2)])])
    other.following.look()
    #expect(try await there.next() == .gone)
    #expect(try await there.next() == nil)
    var new = try await other.commits(
      of: "feed", after: old.revision, incarnation: old.incarnation
    ).makeAsyncIterator()
    guard case .reset(revision: 1, _) = try await new.next() else {
      Issue.record("the listener did not end")
      return
    }
    try feed.cache.renameDataset("feed", to: "another")
    other.following.look()
    #expect(try await new.next() == .gone)
  }

  @Test func closingEndsTheListeners() async throws {
    let feed = try makeFeed()
    let commits = try await feed.cache.commits(of: "feed")
    let listening = Task {
      var count = 0
      for try await _ in commits { count += 1 }
      return count
    }
    try feed.cache.update("feed", with: resize(7, to: 50))
    try feed.cache.close()
    #expect(try await listening.value <= 1)
    await #expect(throws: LayoutCacheError.self) { try await feed.cache.commits(of: "feed") }
  }

  @Test func cancellingEndsTheListener() async throws {
    let feed = try makeFeed()
    let listening = Task { [cache = feed.cache] in
      let commits = try await cache.commits(of: "feed")
      withUnsafeCurrentTask { $0?.cancel() }
      for try await event in commits { Issue.record("\(event)") }
    }
    try await listening.value
    #expect(feed.cache.following.followerCount == 0)
  }

  /// A configuration has no revision: a state in memory of the present one may be older.
  @Test func aListenerPutsBackNoOlderConfiguration() async throws {
    let feed = try makeFeed()
    let (layout, other) = (LayoutID("layout", of: "feed"), try otherCache(feed))
    try feed.cache.setLayout(
      LayoutID("late", of: "feed"), to: ConfigurationText.decode(Self.configuration))
    try feed.cache.prepare(LayoutID("late", of: "feed"))
    let before = try other.read(layout) { $0.contentSize }
    let third = try ConfigurationText.decode(Self.configuration.replacing("2", with: "3"))
    try feed.cache.setLayout(layout, to: third)
    let commits = try await other.commits(of: "feed", layouts: ["late"])
    #expect(try other.read(layout) { $0.contentSize } != before)
    #expect(try feed.cache.read(layout, freshness: .last) { !$0.isOutdated })
    _ = commits
  }

  /// A failed transaction may have assigned node ids that are then assigned again.
  @Test func nodesOfAFailedTransactionAreNotReused() async throws {
    let feed = try makeFeed()
    var iterator = try await feed.cache.commits(of: "feed", layouts: ["layout"])
      .makeAsyncIterator()
    struct Failure: Error {}
    for number in 0..<4 {
      #expect(throws: Failure.self) {
        try feed.cache.change("feed") { change in
          try change.state.checkpoint(change.writer, at: change.now)
          throw Failure()
        }
      }
      let commit = try feed.cache.update("feed", with: resize(number, to: 80), preparing: .upToDate)
      let received = try await nextCommit(&iterator)
      #expect(received.revision == commit.revision)
      #expect(received.layouts.map(\.context.sections) == commit.layouts.map(\.context.sections))
    }
    #expect(try feed.cache.verify().problems.isEmpty)
  }
}
