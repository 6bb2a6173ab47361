import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

// How layouts are brought up to date: by which method, and without blocking other calls. A kind
// of section that calls the test back during layout simulates one with millions of items.
@Suite(.serialized) struct PreparationTests {
  private let layout = LayoutID("layout", of: "feed")

  /// Items one below the other; the test is called back.
  private struct Watched: SectionLayout {
    static let kind = "watched"
    /// Called with each item's length, in points.
    static let watch = Mutex<(@Sendable (Double) -> Void)?>(nil)

    init(options: [String: ConfigurationValue], in space: SectionSpace) {}

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      Self.watch.withLock { $0 }?(item.size.height.points)
      return ItemPlacement(
        frame: Rect(x: .zero, y: .zero, width: 1, height: item.size.height),
        advance: item.size.height)
    }
  }

  private static let watched = #"{"container":{"width":1},"section":{"kind":"watched"}}"#

  /// Runs `body` once during a layout, when the item of 7 points is placed.
  private func concurrently<R>(
    _ body: @escaping @Sendable () throws -> Void, during work: () throws -> R
  ) throws -> R {
    let failure = Mutex<(any Error)?>(nil)
    let isDone = Atomic(false)
    Watched.watch.withLock {
      $0 = { length in
        guard length == 7, !isDone.exchange(true, ordering: .relaxed) else { return }
        do { try body() } catch { failure.withLock { $0 = error } }
      }
    }
    defer { Watched.watch.withLock { $0 = nil } }
    let result = try work()
    if let error = failure.withLock({ $0 }) { throw error }
    let wasCalled = isDone.load(ordering: .relaxed)
    #expect(wasCalled)
    return result
  }

  private func open(_ path: String) throws -> LayoutCache {
    var options = LayoutCacheOptions()
    // Any call that has to wait fails.
    options.busyTimeout = 0
    return try LayoutCache(path: path, options: options, sectionLayouts: [Watched.self])
  }

  private func watchedFeed(count: Int = 300) throws -> (TestFeed, LayoutCache) {
    let sizes = (0..<count).map { (1.0, $0 == count / 2 ? 7.0 : 2.0) }
    let feed = try TestFeed(
      [OracleSection("s", sizes: sizes)], configuration: Self.watched,
      kinds: TestKinds.all + [Watched.self])
    try feed.cache.createDataset("other")
    return (feed, try open(feed.path))
  }

  @Test func layingOutBlocksNoOtherCall() throws {
    let (feed, other) = try watchedFeed()
    let preparation = try concurrently {
      try other.update("other", with: [.insertSection(key: "t")])
      try other.update(
        "feed",
        with: [
          .insert([Item(key: "new", width: 1, height: 100)], at: .index(0, section: "s")),
          .delete(keys: ["s-9"]),
        ])
      try other.checkpoint()
    } during: {
      try feed.cache.prepare(layout)
    }
    // It includes the concurrent commit.
    #expect(preparation.revision == 2)
    #expect(preparation.context?.invalidateEverything == true)
    for cache in [feed.cache, other] {
      let length = try cache.read(layout) { $0.contentSize.height.points }
      #expect(length == 298 * 2 + 7 + 100)
    }
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func aResultOvertakenByManyCommitsFollowsThemFirst() throws {
    let (feed, other) = try watchedFeed(count: 400_000 / 200)
    try concurrently {
      for number in 0..<3 {
        let items = try (0..<300).map { try Item(key: "\(number)-\($0)", width: 1, height: 3) }
        try other.update("feed", with: [.insert(items, at: .index(number, section: "s"))])
      }
    } during: {
      _ = try feed.cache.prepare(layout)
    }
    let length = try feed.read { $0.contentSize.height.points }
    #expect(length == 1999 * 2 + 7 + 900 * 3)
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func allCachesAnswerFromTheFirstPublishedResult() throws {
    let (feed, other) = try watchedFeed()
    try concurrently {
      try other.prepare(LayoutID("layout", of: "feed"))
    } during: {
      _ = try feed.cache.prepare(layout)
    }
    #expect(try feed.read { $0.incarnation } == other.read(layout) { $0.incarnation })
    let remains = try RawDatabase(path: feed.path).number("SELECT count(*) FROM remains")
    #expect(remains == 0)
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test(arguments: ["remove", "configure", "replace", "removeDataset"])
  func obsoleteLayoutWorkIsAbandoned(change: String) throws {
    let (feed, other) = try watchedFeed()
    let layout = layout
    let result = Result {
      try concurrently {
        switch change {
        case "remove": try other.removeLayout(layout)
        case "configure":
          try other.setLayout(
            layout, to: ConfigurationText.decode(#"{"container":{"width":9},"section":{}}"#))
        case "replace":
          _ = try other.importItems(into: "feed", mode: .replace) { importer in
            try importer.add(Item(key: "a", width: 1, height: 5))
          }
        default: try other.removeDataset("feed")
        }
      } during: {
        try feed.cache.prepare(layout)
      }
    }
    switch change {
    case "configure": #expect(try feed.read { $0.contentSize.width } == 9)
    case "replace": #expect(try feed.read { $0.contentSize.height } == 5)
    default:
      #expect { try result.get() } throws: { ($0 as? LayoutCacheError)?.category == .notFound }
    }
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func preparingAnUpToDateLayoutTakesNoLock() throws {
    let (feed, other) = try watchedFeed()
    try feed.cache.prepare(layout)
    let lock = try RawDatabase(path: feed.path)
    try lock.execute("BEGIN IMMEDIATE")
    #expect(try other.prepare(layout).context == nil)
    #expect(try other.read(layout) { $0.itemCount } == 300)
    try lock.execute("ROLLBACK")
  }

  @Test func aReadThatMustPublishReportsBusyWithoutTheLock() throws {
    let (feed, other) = try watchedFeed()
    let lock = try RawDatabase(path: feed.path)
    try lock.execute("BEGIN IMMEDIATE")
    #expect { try other.read(layout) { $0.itemCount } } throws: {
      ($0 as? LayoutCacheError)?.category == .busy
    }
    try lock.execute("ROLLBACK")
    #expect(try other.read(layout) { $0.itemCount } == 300)
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  // MARK: - Choice of the method

  @Test(arguments: [
    (KindExample.flow, 10_000, false), (.flow, 10_001, true), (.waterfall, 9000, false),
  ])
  func aLayoutIsLaidOutFromScratchIfThatCostsLess(
    kind: KindExample, operations: Int, isFromScratch: Bool
  ) throws {
    let feed = try TestFeed([.mixed("s", count: 150)], configuration: kind.configuration())
    try feed.cache.prepare(layout)
    let batch = try (0..<1000).map {
      BatchOperation.resize(
        key: "s-\($0 % 150)", size: try Item(key: "x", width: 4, height: Double(3 + $0)).size)
    }
    var left = operations
    while left > 0 {
      try feed.cache.update("feed", with: Array(batch.prefix(left)), preparing: .none)
      left -= 1000
    }
    let context = try feed.cache.prepare(layout).context
    #expect(context?.invalidateEverything == isFromScratch)
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func aLayoutThatCannotFollowLagsAndIsNamed() throws {
    let feed = try TestFeed(
      [OracleSection("s", sizes: [(1, 1)])],
      configuration: #"{"container":{"width":1},"section":{"columns":1}}"#)
    // Two thousand such items exceed the longest content.
    let narrow = LayoutID("narrow", of: "feed")
    try feed.cache.setLayout(
      narrow,
      to: ConfigurationText.decode(
        #"{"container":{"width":1000000},"section":{"columns":1}}"#))
    for layout in [layout, narrow] { try feed.cache.prepare(layout) }
    let items = try (0..<20).map { try Item(key: "k\($0)", width: 0.015625, height: 1_000_000) }
    let before = try feed.read { $0.contentSize }
    let commit = try feed.cache.update(
      "feed", with: [.insert(items, at: .end(section: "s"))], preparing: .upToDate)
    #expect(commit.revision == 2)
    #expect(commit.layouts.map(\.layout) == ["layout"])
    #expect(commit.behind.map(\.layout) == ["narrow"])
    #expect(commit.behind.map(\.code) == ["cannotLayOut"])
    #expect(try feed.read { $0.contentSize } != before)
    let other = try LayoutCache(path: feed.path)
    for cache in [feed.cache, other] {
      #expect { try cache.read(narrow) { $0.revision } } throws: {
        ($0 as? LayoutCacheError)?.category == .input
      }
      #expect(throws: LayoutCacheError.self) { try cache.prepare(narrow) }
    }
    // Without preparing the layout the same batch is committed too, and a later commit may
    // remove the obstacle.
    try other.update("feed", with: [.delete(keys: items.map(\.key))], preparing: .none)
    #expect(try other.prepare(narrow).revision == 3)
    #expect(try feed.cache.read(narrow) { $0.itemCount } == 1)
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func layoutsWithoutReadsFallBehind() throws {
    let feed = try TestFeed([OracleSection("s", sizes: [(1, 1)])])
    let layouts = (0..<20).map { LayoutID("layout \($0)", of: "feed") }
    for layout in layouts {
      try feed.cache.setLayout(
        layout, to: ConfigurationText.decode(#"{"container":{"width":10},"section":{}}"#))
    }
    func commit(_ number: Int, _ layouts: UpdatedLayouts = .inUse) throws -> Commit {
      try feed.cache.update(
        "feed",
        with: [.insert([Item(key: "\(number)", width: 1, height: 1)], at: .end(section: "s"))],
        preparing: layouts)
    }
    for layout in layouts { _ = try feed.cache.read(layout) { $0.revision } }
    #expect(try commit(0).layouts.count == 16)
    // With `upToDate`, as the command does, all layouts that are up to date are updated.
    for layout in layouts { try feed.cache.prepare(layout) }
    try feed.cache.checkpoint()
    #expect(try commit(1, .upToDate).layouts.count == 20)
    // A layout that is read stays up to date.
    for number in 2..<1100 {
      _ = try feed.cache.read(layouts[3]) { $0.revision }
      _ = try commit(number)
    }
    #expect(try commit(1100).layouts.map(\.layout) == ["layout 3"])
    for layout in layouts { #expect(try feed.cache.read(layout) { $0.itemCount } == 1102) }
    #expect(try feed.cache.verify().problems.isEmpty)
  }
}
