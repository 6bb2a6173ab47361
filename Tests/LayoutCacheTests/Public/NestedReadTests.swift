import LayoutCache
import LayoutCacheTestSupport
import TestSupport
import Testing

@Suite struct NestedReadTests {
  /// As many threads hold as many reads as would exhaust any fixed number of
  /// connections, and each then begins another.
  @Test func nestedReadsOfManyThreadsDoNotBlockOneAnother() throws {
    let feed = try TestFeed(
      [
        OracleSection("a", sizes: Array(repeating: (10, 20), count: 40)),
        OracleSection("b", sizes: [(10, 10)]),
      ], configuration: #"{"container":{"width":100}}"#)
    let cache = feed.cache
    let count = 16
    let levels = (0..<3).map { _ in Meeting(of: count) }
    try Threads.start(count) { number in
      var isFirst = [true, true, true]
      func meet(_ level: Int) throws {
        if isFirst[level] { try levels[level].join() }
        isFirst[level] = false
      }
      try cache.forEachSection(of: "feed") { _ in
        try meet(0)
        try cache.forEachItem(of: "feed") { _, _ in
          guard isFirst[1] else { return }
          try meet(1)
          try cache.forEachSection(of: "feed") { _ in
            try meet(2)
            try cache.read(LayoutID("layout", of: "feed")) { snapshot in
              let cell = try snapshot.attributes(forKey: "a-\(number)")
              #expect(cell != nil)
            }
          }
        }
      }
    }.join()
    try cache.close()
  }
}
