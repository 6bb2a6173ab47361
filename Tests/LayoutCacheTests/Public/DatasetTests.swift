import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import SumTree
import TestSupport
import Testing

/// Creating, renaming and removing datasets and layouts, and reclaiming their space.
@Suite struct DatasetTests {
  private static let configuration = #"{"container":{"width":100},"section":{"columns":2}}"#
  private let layout = LayoutID("layout", of: "feed")

  private func feed(count: Int = 200) throws -> TestFeed {
    try TestFeed(
      [OracleSection("s", sizes: (0..<count).map { (1, Double(1 + $0 % 7)) })],
      configuration: Self.configuration)
  }

  private func counts(_ path: String) throws -> [String: Int64] {
    let database = try RawDatabase(path: path)
    var counts: [String: Int64] = [:]
    for table in [
      "datasets", "layouts", "definitions", "contexts", "log", "nodes", "remains", "marks",
      "requests",
    ] {
      counts[table] = try database.number("SELECT count(*) FROM \(table)")
    }
    return counts
  }

  /// Garbage of a dataset is identified by its id, also if its process was killed before it
  /// could reclaim it.
  @Test func datasetIDsAreNeverReused() throws {
    let feed = try feed(count: 10)
    try feed.cache.update("feed", with: [.delete(keys: ["s-1"])])
    let store = try Store(
      path: feed.path,
      options: StoreOptions(createsFile: false, survivesPowerCut: false, busyTimeout: 1))
    try store.write { writer in
      guard let row = try writer.reader.dataset(named: "feed") else { return }
      try writer.delete(row)
    }
    let cache = try LayoutCache(path: feed.path)
    try cache.createDataset("feed")
    #expect(try cache.verify().problems.isEmpty)
    try cache.compact()
    #expect(try cache.verify().problems.isEmpty)
    #expect(try counts(feed.path)["remains"] == 0)
  }

  @Test func aDatasetMayStartEmpty() throws {
    let cache = try LayoutCache.temporary()
    try cache.createDataset("feed")
    #expect(try cache.dataset("feed").revision == 1)
    #expect { try cache.createDataset("feed") } throws: {
      if case .datasetExists("feed") = ($0 as? LayoutCacheError)?.code { true } else { false }
    }
    try cache.update(
      "feed",
      with: [
        .insertSection(key: "s"),
        .insert([Item(key: "a", width: 1, height: 1)], at: .end(section: "s")),
      ])
    #expect(try cache.dataset("feed").itemCount == 1)
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func aRemovedDatasetLeavesNoData() throws {
    let feed = try feed()
    try feed.cache.prepare(layout)
    try feed.cache.update("feed", with: [.delete(keys: ["s-1"])], preparing: .none)
    try feed.cache.checkpoint()
    try feed.cache.prepare(layout)
    _ = try feed.cache.update(
      "feed", with: [.delete(keys: ["s-0"]), .mark(source: "s", position: "1")],
      once: IdempotentRequest(key: "1", owner: "", bodyHash: [1]), answer: nil)
    #expect(try counts(feed.path).values.count { $0 == 0 } == 1, "no garbage yet")
    let kept = try feed.read { $0 }
    let other = try LayoutCache(path: feed.path)
    _ = try other.read(layout) { $0.revision }
    try feed.cache.removeDataset("feed")
    #expect(try counts(feed.path).values.allSatisfy { $0 == 0 })
    for cache in [feed.cache, other] {
      #expect(try cache.datasets().isEmpty)
      #expect { try cache.read(layout) { $0.revision } } throws: {
        ($0 as? LayoutCacheError)?.category == .notFound
      }
      #expect { try cache.removeDataset("feed") } throws: {
        ($0 as? LayoutCacheError)?.category == .notFound
      }
    }
    #expect(throws: LayoutCacheError.self) { try kept.attributes(forKey: "s-150") }
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func aRecreatedDatasetNameHasAnotherHistory() throws {
    let feed = try feed()
    let other = try LayoutCache(path: feed.path)
    let before = try other.read(layout) { $0.incarnation }
    let description = try other.dataset("feed")
    try feed.cache.removeDataset("feed")
    try feed.importItems([OracleSection("s", sizes: [(1, 1)])])
    try feed.set(Self.configuration)
    #expect(try other.dataset("feed").revision == 1)
    #expect(try other.dataset("feed").incarnation != description.incarnation)
    let after = try other.read(layout) { ($0.incarnation, $0.itemCount) }
    #expect(after.0 != before)
    #expect(after.1 == 1)
  }

  /// The dataset's part and the layout's.
  private func parts(_ incarnation: Incarnation) -> [String] {
    incarnation.rawValue.split(separator: "-").map(String.init)
  }

  @Test func aRecreatedLayoutHasAnotherHistory() throws {
    let feed = try feed()
    let before = try feed.read { $0.incarnation }
    #expect(try feed.read { $0.incarnation } == before)
    try feed.cache.update("feed", with: [.delete(keys: ["s-0"])])
    #expect(try feed.read { $0.incarnation } == before)
    let other = try LayoutCache(path: feed.path)
    #expect(try other.read(layout) { $0.incarnation } == before)
    try feed.cache.removeLayout(layout)
    try feed.set(Self.configuration)
    let made = try other.read(layout) { $0.incarnation }
    #expect(made != before)
    #expect(parts(made)[0] == parts(before)[0])
    let commit = try feed.cache.update(
      "feed", with: [.invalidate(layout: "layout", everything: true)], preparing: .upToDate)
    let again = try other.read(layout) { $0.incarnation }
    #expect(again != made)
    #expect(commit.layouts.map(\.incarnation) == [Incarnation(rawValue: parts(again)[1])])
    #expect(parts(again)[0] == commit.incarnation.rawValue)
  }

  @Test func aNameInUseIsNotTaken() throws {
    let feed = try feed()
    try feed.cache.createDataset("taken")
    try feed.cache.setLayout(
      LayoutID("other", of: "feed"), to: ConfigurationText.decode(Self.configuration))
    #expect(throws: LayoutCacheError.self) { try feed.cache.renameDataset("feed", to: "taken") }
    #expect(throws: LayoutCacheError.self) { try feed.cache.renameDataset("none", to: "new") }
    #expect(throws: LayoutCacheError.self) { try feed.cache.renameLayout(layout, to: "other") }
    try feed.cache.renameDataset("feed", to: "new")
    try feed.cache.renameDataset("new", to: "new")
    try feed.cache.renameLayout(LayoutID("layout", of: "new"), to: "phone")
    #expect(throws: LayoutCacheError.self) { try feed.cache.dataset("feed") }
    // The name is free.
    try feed.cache.createDataset("feed")
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func checkpointsFindADatasetRenamedByAnotherProcess() throws {
    let feed = try feed()
    try feed.cache.createDataset("other")
    try feed.cache.update("feed", with: [.delete(keys: ["s-1"])])
    try feed.cache.update("other", with: [.insertSection(key: "s")])
    let other = try LayoutCache(path: feed.path)
    try other.renameDataset("feed", to: "another")
    try feed.cache.checkpoint()
    let stored = try RawDatabase(path: feed.path).number(
      "SELECT revision FROM datasets WHERE name = 'other'")
    #expect(stored == 2)
    #expect(try feed.cache.dataset("another").itemCount == 199)
    try feed.cache.checkpoint()
  }

  @Test func unusedSpaceIsReclaimed() throws {
    let feed = try feed(count: 24_000)
    let all = try feed.cache.inspect().fileBytes
    try feed.importItems([OracleSection("s", sizes: [(1, 1)])], mode: .replace)
    #expect(try counts(feed.path)["remains"] == 0)
    try feed.cache.compact()
    let left = try feed.cache.inspect().fileBytes
    #expect(left < all / 4)
    #expect(try feed.cache.verify().problems.isEmpty)
    let file = try FileManager.default.attributesOfItem(atPath: feed.path)[.size] as? Int
    #expect(file == left)
  }

  @Test func spaceOfAKilledProcessIsReclaimedAfterATimeout() throws {
    let now = TestClock(milliseconds: 1_000_000_000_000)
    let feed = try feed()
    let cache = try LayoutCache(path: feed.path, clock: now.clock)
    // The state after a process is killed during layout.
    let store = try Store(path: feed.path, options: StoreOptions())
    let filler = try SpaceFiller(store, now: now.clock.now)
    var payload = ByteWriter()
    payload.writeUInt8(1)
    for _ in 0..<1000 { _ = try filler.write(payload) }
    try filler.flush()
    let before = try cache.inspect().nodeCount
    #expect(try cache.verify().problems.isEmpty)
    // Another process may still use it.
    try cache.checkpoint()
    #expect(try cache.inspect().nodeCount == before)
    now.advance(by: 15 * 60 * 1000 + 1)
    try cache.checkpoint()
    #expect(try cache.inspect().nodeCount == before - 1000)
    // A process that was still working gets an error.
    _ = try filler.write(payload)
    #expect(throws: StoreError.self) { try filler.flush() }
    #expect(try cache.verify().problems.isEmpty)
  }
}
