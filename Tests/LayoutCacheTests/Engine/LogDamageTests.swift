import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// An acknowledged batch exists, or its loss is reported.
@Suite struct LogDamageTests {
  private let feed: TestFeed

  /// A dataset whose last five batches are only in the log.
  init() throws {
    feed = try TestFeed(
      [OracleSection("s", sizes: [(1, 5)])],
      configuration: #"{"container":{"width":1},"section":{"columns":1}}"#)
    _ = try feed.cache.importItems(into: "other", mode: .create) { importer in
      try importer.add(Item(key: "a", width: 1, height: 1))
    }
    for number in 0..<5 {
      let item = try Item(key: "k\(number)", width: 1, height: 2)
      try feed.cache.update("feed", with: [.insert([item], at: .end(section: "s"))])
    }
  }

  @Test(arguments: [
    "UPDATE log SET revision = -97 WHERE dataset = 1 AND revision = 6",
    "UPDATE log SET revision = 99 WHERE dataset = 1 AND revision = 6",
    "UPDATE log SET dataset = 77 WHERE dataset = 1 AND revision = 6",
    "DELETE FROM log WHERE dataset = 1 AND revision = 6",
    "DELETE FROM log WHERE dataset = 1 AND revision IN (5, 6)",
    "DELETE FROM log WHERE dataset = 1 AND revision = 4",
    "DELETE FROM log WHERE dataset = 1",
    "DELETE FROM log WHERE dataset = 1 AND revision = 9223372036854775807",
    "UPDATE log SET operations = 5 WHERE dataset = 1 AND revision = 9223372036854775807",
    "UPDATE log SET time = time + 1 WHERE dataset = 1 AND revision = 6",
    "UPDATE log SET payload = zeroblob(3) WHERE dataset = 1 AND revision = 6",
    "UPDATE log SET total_bytes = 0 WHERE dataset = 1 AND revision = 6",
  ])
  func aDamagedTailIsNotReadAsAnEarlierRevision(sql: String) throws {
    // Ids are numbers of spaces: the first dataset's is not 1 in every file.
    let database = try RawDatabase(path: feed.path)
    let id = try #require(try database.number("SELECT id FROM datasets WHERE name = 'feed'"))
    try database.execute(sql.replacing("dataset = 1", with: "dataset = \(id)"))
    let cache = try LayoutCache(path: feed.path)
    let calls: [(LayoutCache) throws -> Void] = [
      { _ = try $0.read(LayoutID("layout", of: "feed")) { $0.revision } },
      { _ = try $0.dataset("feed") },
      { _ = try $0.update("feed", with: [.delete(keys: ["k0"])]) },
    ]
    for call in calls {
      #expect { try call(cache) } throws: { ($0 as? LayoutCacheError)?.category == .corrupt }
    }
    #expect(try !cache.verify().problems.isEmpty)
    // The other dataset is not affected.
    #expect(try cache.dataset("other").itemCount == 1)
  }

  @Test func verifyFindsDamageBeforeTheCheckpoint() throws {
    try feed.cache.checkpoint()
    #expect(try feed.cache.verify().problems.isEmpty)
    try RawDatabase(path: feed.path).execute("UPDATE log SET time = 1 WHERE revision = 3")
    let cache = try LayoutCache(path: feed.path)
    #expect(try cache.dataset("feed").revision == 6)
    #expect(try cache.verify().problems.count == 1)
  }

  @Test func theLogIsKeptForADayOrAThousandRevisions() throws {
    let now = TestClock(milliseconds: 1_000_000_000_000)
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    let cache = try LayoutCache(path: path, clock: now.clock)
    try cache.createDataset("feed")
    try cache.update("feed", with: [.insertSection(key: "s")])
    func commit(_ count: Int) throws {
      for number in 0..<count {
        try cache.update(
          "feed", with: [.moveSection(key: "s", index: 0), .insertSection(key: "t\(number)")])
        try cache.update("feed", with: [.deleteSection(key: "t\(number)")])
      }
    }
    func entries() throws -> Int { try cache.inspect(dataset: "feed").logBatches }
    try commit(700)
    try cache.checkpoint()
    // The creation, a section, and 1,400 more: all are recent, so all are kept.
    #expect(try entries() == 1402)
    now.advance(by: 24 * 60 * 60 * 1000 + 1)
    // More operations than the previous checkpoint may be followed over; no log is kept for it
    // then.
    for _ in 0..<2 {
      try cache.update(
        "feed",
        with: (0..<5_001).flatMap {
          [BatchOperation.insertSection(key: "u\($0)"), .deleteSection(key: "u\($0)")]
        })
      try cache.checkpoint()
    }
    #expect(try entries() == 1000)
    // The last thousand stay, however old.
    now.advance(by: 24 * 60 * 60 * 1000 + 1)
    try commit(1)
    try cache.checkpoint()
    #expect(try entries() == 1000)
    #expect(try cache.verify().problems.isEmpty)
  }
}
