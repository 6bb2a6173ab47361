import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Strategy: one operation per commit, and its rows and bytes in the log. A commit writes
// nothing else, and they depend neither on the feed's size nor on its layouts.

@Suite struct LogWorkTests {
  private static let configuration = #"""
    {"container":{"width":1000},"section":{"columns":5,"itemLength":"natural"}}
    """#

  /// The log's entries, without its head.
  private func entries(_ test: TestFeed) throws -> [(revision: Int64, bytes: Int64)] {
    try RawDatabase(path: test.path).rows(
      "SELECT revision, length(payload) FROM log WHERE revision < 1 << 62 ORDER BY revision"
    ).map { (try #require($0[0].number), try #require($0[1].number)) }
  }

  @Test(arguments: [100, 20_000])
  func aCommitWritesOneLogRow(itemCount: Int) throws {
    let sizes = (0..<itemCount).map { (400.0, Double(100 + $0 * 7919 % 400)) }
    let test = try TestFeed([OracleSection("s", sizes: sizes)], configuration: Self.configuration)
    try test.read { _ in }
    let before = try entries(test).count
    let operations: [BatchOperation] = [
      .resize(key: "s-17", size: Size(width: 400, height: 450.5)),
      .insert([try Item(key: "new", width: 400, height: 300)], at: .index(10, section: "s")),
      .move(key: "s-20", to: .index(3, section: "s")),
      .delete(keys: ["s-30"]),
      .prefer(layout: "layout", key: "s-40", length: 99),
    ]
    for operation in operations { try test.cache.update("feed", with: [operation]) }
    // The operation's kind, its section and place; the item with its key and size, and its
    // previous values if it still exists.
    let new = Array(try entries(test).dropFirst(before))
    let bytes = new.map(\.bytes)
    #expect(bytes == [32, 19, 25, 20, 38])
    #expect(new.map(\.revision) == (2...Int64(1 + operations.count)).map { $0 })
  }
}
