import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// Commits that change more of a layout than other writers should wait for.
@Suite struct LongCommitTests {
  private static let layout = LayoutID("layout", of: "feed")
  private static let first: [BatchOperation] = [
    .insert([try! Item(key: "new", width: 1, height: 7)], at: .before("s-0")),
    .data(key: "s-1", try! ItemData(json: #"{"a":1}"#)),
  ]

  /// - Parameter kind: A configuration in which an insertion at the front moves every item.
  private func feed(_ kind: String, placing itemCount: Int) throws -> TestFeed {
    var options = LayoutCacheOptions()
    options.treeShapes.committedMax = itemCount
    let feed = try TestFeed(
      [OracleSection("s", sizes: (0..<200).map { (30, Double(30 + $0 * 7919 % 50)) })],
      configuration: #"{"container":{"width":300},"section":{\#(kind)}}"#, options: options)
    try feed.read { _ in }
    return feed
  }

  /// The codes of the layouts that follow later.
  private func left(_ commit: Commit) -> [String] { commit.behind.map(\.code) }

  @Test(arguments: [
    (#""columns":3,"assignment":"exact","itemLength":"natural""#, 3), (#""kind":"flow""#, 100),
  ])
  func theLayoutFollowsAtItsNextUse(kind: String, itemCount: Int) throws {
    let (feed, whole) = (try feed(kind, placing: itemCount), try feed(kind, placing: 1000))
    let commit = try feed.cache.update("feed", with: Self.first)
    #expect(commit.layouts.isEmpty && left(commit) == ["preparing"])
    let other = try whole.cache.update("feed", with: Self.first)
    #expect(left(other).isEmpty && other.layouts.map(\.layout) == ["layout"])
    // Nothing is laid out again, so changes remain known.
    for cache in [feed.cache, try LayoutCache(path: feed.path, sectionLayouts: TestKinds.all)] {
      #expect(
        try cache.read(Self.layout) { try OracleElement.all(of: $0) }
          == whole.read { try OracleElement.all(of: $0) })
      var changes = try cache.changes(of: "feed", since: 1, layout: "layout").layouts[0]
      changes.incarnation = other.layouts[0].incarnation
      changes.context.work = other.layouts[0].context.work
      #expect(changes == other.layouts[0])
    }
    // A smaller change follows at once.
    let last = try feed.cache.update("feed", with: [.delete(keys: ["s-199"])])
    #expect(left(last).isEmpty && last.layouts.map(\.layout) == ["layout"])
  }

  @Test func theShellWaitsForTheLayout() throws {
    let kind = #""columns":3,"assignment":"exact","itemLength":"natural""#
    let (feed, whole) = (try feed(kind, placing: 3), try feed(kind, placing: 1000))
    let visible = Rect(x: 0, y: 500, width: 300, height: 100)
    let contexts = try [feed, whole].map { feed in
      let commit = try feed.cache.update(
        "feed", with: Self.first, visible: visible, preparing: .upToDate)
      #expect(left(commit).isEmpty)
      var context = try #require(commit.layouts["layout"]).context
      context.work = LayoutWork()
      return context
    }
    #expect(contexts[0] == contexts[1] && !contexts[0].invalidateEverything)
  }

  /// The number of items placed, not their section's, decides.
  @Test func insertedItemsCountInAStableWaterfall() throws {
    let feed = try feed(#""columns":3"#, placing: 100)
    #expect(try left(feed.cache.update("feed", with: Self.first)).isEmpty)
    let items = try (0..<101).map { try Item(key: "i-\($0)", width: 1, height: 1) }
    let commit = try feed.cache.update("feed", with: [.insert(items, at: .end(section: "s"))])
    #expect(left(commit) == ["preparing"])
    #expect(try feed.cache.verify().problems.isEmpty)
  }
}
