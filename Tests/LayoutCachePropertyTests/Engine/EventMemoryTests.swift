import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: listeners of two datasets and their layouts consume events at random, as values or as
// texts, some with small queues, during commits of random sizes. The last listener of each dataset
// consumes each event immediately; once it has an event, all listeners have been notified.
//
// Invariants: the events stay within the cache's memory for them; a listener receives each
// revision once and in order, or a reset instead of some, and finally the present one; after all
// events are consumed, the memory is free again.

// The limit only ends a hang: it includes the time of tests that run concurrently.
@Suite(.timeLimit(.minutes(60))) struct EventMemoryTests {
  private static let itemCount = 60

  /// A cache with two datasets, each with two layouts.
  private static func makeFeed(eventBytesMax: Int) throws -> TestFeed {
    var options = LayoutCacheOptions()
    options.lookInterval = nil
    options.eventBytesMax = eventBytesMax
    // Keys that are too long to be stored inline.
    let key = String(repeating: "s", count: 40)
    let sections = [OracleSection(key, sizes: Array(repeating: (4, 4), count: itemCount))]
    let configuration = #"{"container":{"width":100},"section":{"columns":2}}"#
    let feed = try TestFeed(sections, configuration: configuration, options: options)
    _ = try feed.cache.importItems(into: "other", mode: .create) { importer in
      for item in sections[0].items { try importer.add(Item(item), section: key) }
    }
    for dataset in ["feed", "other"] {
      for layout in ["layout", "second"] {
        let id = LayoutID(layout, of: dataset)
        try feed.cache.setLayout(id, to: ConfigurationText.decode(configuration))
        try feed.cache.prepare(id)
      }
    }
    return feed
  }

  private static func resize(_ count: Int, to height: Int) -> [BatchOperation] {
    (0..<count).map { number in
      .resize(
        key: String(repeating: "s", count: 40) + "-\(number)",
        size: Size(width: .points(4), height: Length(points: Double(height)) ?? .zero))
    }
  }

  /// Writes a revision's number, and padding in proportion to the commit's updates.
  private enum Texts: CommitWriting {
    static let writtenCount = Atomic(0)

    static func text(of commit: Commit) -> [UInt8]? {
      writtenCount.add(1, ordering: .relaxed)
      let count = commit.updates.items.count
      return count > 50
        ? nil : Array("\(commit.revision) ".utf8) + Array(repeating: 46, count: count)
    }
  }

  private struct Listener {
    enum Events {
      case commits(Commits.Iterator)
      case texts(WrittenCommits.Iterator)
    }

    struct Difference: Error, CustomStringConvertible {
      var description: String
    }

    var dataset: String
    var revision: Int
    var resetCount = 0
    var events: Events

    /// Consumes an event: the next revision, or a reset to a later one.
    mutating func consume() async throws {
      let received: (revision: Int, isReset: Bool)
      switch events {
      case .commits(var iterator): received = try Self.revision(try await iterator.next())
      case .texts(var iterator):
        switch try await iterator.next()?.content {
        case .event(let event): received = try Self.revision(event)
        case .text(let text):
          let number = text.prefix { $0 != 32 }
          received = (Int(String(decoding: number, as: UTF8.self)) ?? 0, false)
        case nil: throw Difference(description: "the events have ended")
        }
      }
      guard received.isReset ? received.revision > revision : received.revision == revision + 1
      else {
        throw Difference(description: "\(dataset): \(received) follows \(revision)")
      }
      revision = received.revision
      if received.isReset { resetCount += 1 }
    }

    private static func revision(_ event: CommitEvent?) throws -> (revision: Int, isReset: Bool) {
      switch event {
      case .commit(let commit): return (commit.revision, false)
      case .reset(let revision, _): return (revision, true)
      default: throw Difference(description: "unexpected event \(String(describing: event))")
      }
    }
  }

  private func listen(
    to dataset: String, _ layouts: [String], of cache: LayoutCache, after revision: Int?,
    isWritten: Bool, queueCountMax: Int
  ) async throws -> Listener {
    let present = try revision ?? cache.dataset(dataset).revision
    if isWritten {
      let commits = try await cache.commits(
        of: dataset, layouts: layouts, after: revision, queueCountMax: queueCountMax,
        writtenBy: Texts.self)
      return Listener(
        dataset: dataset, revision: present, events: .texts(commits.makeAsyncIterator()))
    }
    let commits = try await cache.commits(
      of: dataset, layouts: layouts, after: revision, queueCountMax: queueCountMax)
    return Listener(
      dataset: dataset, revision: present, events: .commits(commits.makeAsyncIterator()))
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func slowListenersAreResetWithinTheMemory(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let bytesMax = [2_000, 20_000, 200_000].randomElement(using: &generator) ?? 0
    let feed = try Self.makeFeed(eventBytesMax: bytesMax)
    let memory = feed.cache.following.memory
    var listeners: [Listener] = []
    var quick: [String: Listener] = [:]
    func add(after revision: Int?, to dataset: String) async throws -> Listener {
      try await listen(
        to: dataset, [[], ["layout"], ["second"]].randomElement(using: &generator) ?? [],
        of: feed.cache, after: revision, isWritten: .random(using: &generator),
        queueCountMax: [2, 10, 100].randomElement(using: &generator) ?? 1)
    }
    do {
      for dataset in ["feed", "feed", "feed", "other", "other"] {
        listeners.append(try await add(after: nil, to: dataset))
      }
      for dataset in ["feed", "other"] { quick[dataset] = try await add(after: nil, to: dataset) }
      for step in PropertyRun.each(seed, steps: 80) {
        let dataset = ["feed", "other"].randomElement(using: &generator) ?? "feed"
        let count = [1, 5, Self.itemCount].randomElement(using: &generator) ?? 1
        try feed.cache.update(dataset, with: Self.resize(count, to: 5 + step))
        try await quick[dataset]?.consume()
        #expect(memory.bytes <= bytesMax)
        if Int.random(in: 0..<8, using: &generator) == 0 {
          let known = max(
            1, (quick[dataset]?.revision ?? 1) - .random(in: 0..<12, using: &generator))
          listeners.append(try await add(after: known, to: dataset))
          // The last listener is notified last.
          quick[dataset] = try await add(after: nil, to: dataset)
        }
        let index = Int.random(in: listeners.indices, using: &generator)
        for _ in 0..<Int.random(in: 0..<6, using: &generator)
        where listeners[index].revision < quick[listeners[index].dataset]?.revision ?? 0 {
          try await listeners[index].consume()
        }
      }
      for index in listeners.indices {
        while listeners[index].revision < quick[listeners[index].dataset]?.revision ?? 0 {
          try await listeners[index].consume()
        }
      }
    } catch {
      Issue.record("\(error)")
      return
    }
    // Both events and resets must occur.
    let resets = listeners.reduce(0) { $0 + $1.resetCount }
    #expect(resets > 0)
    while memory.bytes > 0 { await Task.yield() }
  }

  @Test func aCommitIsWrittenOnceForAllListenersOfTheSameLayouts() async throws {
    let feed = try Self.makeFeed(eventBytesMax: 1 << 20)
    var listeners: [WrittenCommits.Iterator] = []
    for number in 0..<20 {
      listeners.append(
        try await feed.cache.commits(
          of: "feed", layouts: number % 2 == 0 ? ["layout"] : [], queueCountMax: 10,
          writtenBy: Counted.self
        ).makeAsyncIterator())
    }
    for number in 0..<3 { try feed.cache.update("feed", with: Self.resize(4, to: 5 + number)) }
    var events: [Set<ObjectIdentifier>] = [[], []]
    var held: [SharedEvent] = []
    for index in listeners.indices {
      for _ in 0..<3 {
        let event = try #require(try await listeners[index].next())
        events[index % 2].insert(ObjectIdentifier(event))
        held.append(event)
      }
    }
    #expect(events.map(\.count) == [3, 3])
    #expect(Counted.count.load(ordering: .relaxed) == 6)
    #expect(feed.cache.following.memory.bytes == 6 * 1000)
  }

  private enum Counted: CommitWriting {
    static let count = Atomic(0)

    static func text(of commit: Commit) -> [UInt8]? {
      count.add(1, ordering: .relaxed)
      return Array(repeating: 46, count: 1000)
    }
  }

  /// Listeners that start after the same revision share the missed events, which count too.
  @Test func missedEventsAreBoundedToo() async throws {
    let feed = try Self.makeFeed(eventBytesMax: 3_500)
    let start = try feed.cache.dataset("feed").revision
    for number in 0..<8 { try feed.cache.update("feed", with: Self.resize(2, to: 5 + number)) }
    var iterator = try await feed.cache.commits(
      of: "feed", after: start, queueCountMax: 10, writtenBy: Thousand.self
    ).makeAsyncIterator()
    #expect(feed.cache.following.memory.bytes == 3_000)
    // One reset replaces the first five events.
    guard case .event(.reset(let revision, _)) = try await iterator.next()?.content else {
      Issue.record("there is no reset")
      return
    }
    #expect(revision == start + 5)
    for _ in 0..<3 {
      guard case .text = try await iterator.next()?.content else {
        Issue.record("there is no text")
        return
      }
    }
  }

  private enum Thousand: CommitWriting {
    static func text(of commit: Commit) -> [UInt8]? { Array(repeating: 46, count: 1000) }
  }
}
