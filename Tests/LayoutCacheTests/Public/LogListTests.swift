import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// The log as its readers see it.
@Suite struct LogListTests {
  @Test func theNewestChangesComeFirst() throws {
    let feed = try TestFeed([OracleSection("s", sizes: [(1, 2), (3, 4)])])
    for height in 1...5 {
      try feed.cache.update(
        "feed",
        with: [
          .resize(key: "s-0", size: Size(width: 1, height: Length(points: Double(height * 10))!))
        ])
    }
    try feed.cache.undo("feed")
    let all = try feed.cache.log(of: "feed")
    #expect(all.map(\.revision) == [7, 6, 5, 4, 3, 2, 1])
    #expect(all.map(\.kind) == [.undo, .batch, .batch, .batch, .batch, .batch, .import])
    #expect(all.dropFirst().allSatisfy { $0.operationCount == 1 && $0.byteCount > 0 })
    #expect(
      zip(all, all.dropFirst()).allSatisfy { $0.millisecondsSince1970 >= $1.millisecondsSince1970 })
    #expect(try feed.cache.log(of: "feed", limit: 2) == Array(all.prefix(2)))
    #expect(try feed.cache.log(of: "feed", limit: 2, before: 6) == Array(all[2..<4]))
    #expect(try feed.cache.log(of: "feed", before: 1).isEmpty)
    #expect(try feed.cache.log(of: "feed", limit: 0).isEmpty)
    #expect(throws: LayoutCacheError.self) { try feed.cache.log(of: "elsewhere") }
    // In another process, and after everything has been moved into the trees.
    try feed.cache.close()
    #expect(try LayoutCache(path: feed.path).log(of: "feed") == all)
  }
}
