import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

// Which variants are dropped if several processes use them, and answers while many are laid out.

@Suite struct VariantUseTests {
  private static let any =
    #"{"container":{"widths":{"step":8,"keep":3}},"section":{"columns":2}}"#

  private let clock = TestClock(milliseconds: 1_700_000_000_000)
  private let directory: TemporaryDirectory
  private let cache: LayoutCache
  /// Another process with the same file.
  private let other: LayoutCache

  init() throws {
    directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    cache = try LayoutCache(path: path, clock: clock.clock)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<40 {
        try importer.add(Item(key: "k\(number)", width: 4, height: 3), section: "main")
      }
    }
    try cache.setLayout(LayoutID("any", of: "feed"), to: ConfigurationText.decode(Self.any))
    other = try LayoutCache(path: path, clock: clock.clock)
  }

  private func id(_ name: String) -> LayoutID { LayoutID(name, of: "feed") }

  private func use(_ widths: Int..., by cache: LayoutCache, every milliseconds: Int64 = 10_000)
    throws
  {
    for width in widths {
      clock.advance(by: milliseconds)
      try cache.read(id("any@\(width)")) { _ in }
    }
  }

  private func variants() throws -> [String] {
    try cache.layout(id("any")).variants.map(\.name)
  }

  @Test func theUsesOfAnotherProcessCount() throws {
    try use(304, 400, 504, by: cache, every: 1_700_000)
    try use(304, by: other)
    try other.variants.storeTimes()
    // This process has used 304 first of all, the other one has used it last.
    try use(600, by: cache, every: 1_900_000)
    #expect(try variants() == ["any@304", "any@504", "any@600"])
  }

  /// The old one is dropped once the new one is laid out, which may be cancelled or fail.
  @Test func aWidthThatFailsReplacesNone() async throws {
    try use(304, 400, 504, by: cache)
    clock.advance(by: 4_000_000)
    // The first report is made while the layout is under way.
    let task = Task { [cache] in
      try await cache.performPrepare(LayoutID("any@600", of: "feed")) { _ in
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try variants() == ["any@304", "any@400", "any@504"])
    try use(600, by: cache)
    #expect(try variants() == ["any@400", "any@504", "any@600"])
  }

  @Test func usesAreStoredSoonAfterwards() async throws {
    try use(304, by: cache)
    clock.advance(by: 50_000)
    // The name is known, so the query itself reads and writes nothing.
    try cache.read(id("any@304")) { _ in }
    var age: Double?
    for _ in 0..<600 {
      age = try other.layout(id("any")).variants.first?.secondsSinceUse
      if age == 0 { break }
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(age == 0)
    let variant = try #require(try other.layout(id("any")).variants.first)
    #expect(variant.secondsSinceCreation == 50)
  }

  @Test func followingAVariantUsesIt() async throws {
    try use(304, 400, 504, by: cache)
    let commits = try await cache.commits(of: "feed", layouts: ["any@304"])
    clock.advance(by: 4_000_000)
    try cache.update("feed", with: [.delete(keys: ["k3"])])
    for try await event in commits {
      guard case .commit(let commit) = event else { continue }
      #expect(commit.layouts.map(\.layout) == ["any@304"])
      break
    }
    try use(600, by: cache)
    #expect(try variants() == ["any@304", "any@504", "any@600"])
  }

  private func setColumns(_ count: Int) throws {
    try cache.setLayout(
      id("any"),
      to: ConfigurationText.decode(
        Self.any.replacing("\"columns\":2", with: "\"columns\":\(count)")))
  }

  private func columns(_ name: String, _ freshness: Freshness = .current) throws -> Int {
    try cache.read(id(name), freshness: freshness) {
      try $0.columnEnds(inSection: 0).count
    }
  }

  @Test func afterAnotherConfigurationTheLastResultAnswersUntilItIsAVariantsTurn() async throws {
    try use(304, 400, 504, by: cache)
    try setColumns(5)
    #expect(cache.variants.beginFirstLayout(id("any@8")))
    // One variant may be laid out, and is.
    #expect(try columns("any@304") == 5)
    #expect(cache.variants.beginFirstLayout(id("any@16")))
    // It would have to wait for five seconds, and then fail.
    for freshness in [Freshness.current, .last] {
      #expect(try columns("any@400", freshness) == 2)
      let inTask = try await cache.performRead(id("any@400"), freshness: freshness) {
        try $0.columnEnds(inSection: 0).count
      }
      #expect(inTask == 2)
    }
    #expect(try columns("any@304") == 5)
    cache.variants.endFirstLayout(id("any@8"))
    #expect(try columns("any@504", .last) == 2)
    #expect(try columns("any@400") == 5)
    #expect(try columns("any@504") == 5)
    cache.variants.endFirstLayout(id("any@16"))
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func theLastResultTakesNoPlaceOfAFirstLayout() throws {
    try use(304, by: cache)
    try setColumns(5)
    #expect(cache.variants.beginFirstLayout(id("any@8")))
    try cache.read(id("any@304"), freshness: .last) { _ in
      #expect(cache.variants.beginFirstLayout(id("any@16")))
    }
    cache.variants.endFirstLayout(id("any@8"))
    cache.variants.endFirstLayout(id("any@16"))
  }
}
