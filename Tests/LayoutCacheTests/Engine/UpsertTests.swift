import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// Upserts from a source of changes have the same result however often they are repeated.
@Suite struct UpsertTests {
  private let feed: TestFeed
  private var cache: LayoutCache { feed.cache }

  init() throws {
    feed = try TestFeed(
      [OracleSection("a", sizes: [(1, 5), (1, 5), (1, 5)]), OracleSection("b", sizes: [(2, 2)])],
      configuration: KindExample.waterfall.configuration())
  }

  private func item(
    _ key: String, _ height: Double = 5, span: Int? = nil,
    data: UpsertedItem.DataChange = .none
  ) throws -> UpsertedItem {
    try UpsertedItem(key: key, width: 1, height: height, columnSpan: span, data: data)
  }

  private func found(_ key: String) throws -> Item? {
    var found: Item?
    try cache.forEachItem(of: "feed") { if $1.key == key { found = $1 } }
    return found
  }

  @Test func omittedMembersAreUnchanged() throws {
    let data = try ItemData(json: #"{"n":1}"#)
    try cache.update(
      "feed", with: [.upsert([item("n", span: 2, data: .set(data))], section: "a")])
    try cache.update("feed", with: [.upsert([item("n", 7)], section: "a")])
    #expect(try found("n") == Item(key: "n", width: 1, height: 7, columnSpan: 2, data: data))
    try cache.update("feed", with: [.upsert([item("n", 7, data: .remove)], section: "a")])
    try cache.update("feed", with: [.upsert([UpsertedItem(found("a-0")!)], section: "a")])
    #expect(try found("n") == Item(key: "n", width: 1, height: 7, columnSpan: 2))
    #expect(try cache.dataset("feed").revision == 4)
  }

  /// Measuring a screenful of neighbours changes as many nodes of a layout as measuring one of
  /// them, and a few more for their leaves and lines.
  ///
  /// An exact waterfall continues until its columns agree, which may be anywhere.
  @Test(arguments: [KindExample.waterfall, .flow, .scaledFlow])
  func measuringAScreenfulCostsOneEdit(_ example: KindExample) throws {
    let feed = try TestFeed(
      [OracleSection.mixed("s", count: 4000)], configuration: example.configuration())
    _ = try feed.read { $0.contentSize }
    func changedNodes(_ keys: Range<Int>) throws -> Int {
      let commit = try feed.cache.update(
        "feed", with: keys.map { .prefer(layout: "layout", key: "s-\($0)", length: 31) })
      return commit.layouts.first?.context.work.changedNodes ?? 0
    }
    let one = try changedNodes(1000..<1001)
    let screen = try changedNodes(3000..<3040)
    #expect(screen <= one + 6, "\(one), \(screen)")
  }
}
