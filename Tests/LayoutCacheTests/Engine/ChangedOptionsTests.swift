import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// The sections that a changed configuration lays out again: those whose own options differ.
@Suite struct ChangedOptionsTests {
  private let layout = LayoutID("layout", of: "feed")

  private func feed(count: Int, extra: Int = 3) throws -> TestFeed {
    try TestFeed([.mixed("a", count: count), .mixed("b", count: extra)])
  }

  private func configuration(
    width: Int = 400, height: Int = 300, _ section: String = "", a: String = "{}", b: String = "{}"
  ) -> String {
    """
    {"container":{"width":\(width),"height":\(height)},
     "section":{"kind":"waterfall","columns":3\(section)},"sections":{"a":\(a),"b":\(b)}}
    """
  }

  /// Sets a configuration.
  ///
  /// - Returns: The number of placed items.
  private func recomputed(_ feed: TestFeed, _ text: String) throws -> Int? {
    try feed.set(text)
    let context = try feed.cache.prepare(layout).context
    #expect(try feed.cache.verify().problems.isEmpty)
    return context?.work.recomputedItems
  }

  @Test(arguments: [200, 6000])
  func onlySectionsWithChangedOptionsAreLaidOutAgain(count: Int) throws {
    let feed = try feed(count: count)
    #expect(try recomputed(feed, configuration()) == count + 3)
    // An override for one section.
    #expect(try recomputed(feed, configuration(b: #"{"columns":2}"#)) == 3)
    // Headers and insets only shift the items.
    #expect(
      try recomputed(
        feed,
        configuration(
          #","header":20,"pinsHeader":true,"background":{"kind":"card"}"#, b: #"{"columns":2}"#))
        == 0)
    #expect(
      try recomputed(
        feed,
        configuration(#","inset":{"top":9,"bottom":5}"#, a: #"{"footer":3}"#, b: #"{"columns":2}"#))
        == 0)
    // Changes when items move, not their positions.
    #expect(try recomputed(feed, configuration(height: 900, b: #"{"columns":2}"#)) == 0)
    #expect(try recomputed(feed, configuration(#","maximumSkew":50"#, b: #"{"columns":2}"#)) == 0)
    #expect(
      try recomputed(feed, configuration(#","inset":{"left":9}"#, b: #"{"columns":2}"#))
        == count + 3)
    #expect(try recomputed(feed, configuration(width: 410, b: #"{"columns":2}"#)) == count + 3)
  }

  @Test func restoringTheConfigurationOfTheLastResultNeedsNoLayout() throws {
    let feed = try feed(count: 200)
    #expect(try recomputed(feed, configuration()) == 203)
    let nodes = try feed.cache.inspect(dataset: "feed").layouts[0].nodeCount
    try feed.set(configuration(a: #"{"columns":5}"#))
    #expect(try recomputed(feed, configuration()) == nil)
    #expect(try feed.cache.inspect(dataset: "feed").layouts[0].nodeCount >= nodes)
  }

  @Test(arguments: [200, 6000])
  func otherSectionsKeepTheirColumns(count: Int) throws {
    let feed = try feed(count: count)
    _ = try recomputed(feed, configuration())
    // From scratch the items would choose other columns.
    try feed.cache.update("feed", with: (0..<20).map { .delete(keys: ["a-\($0 * 3)"]) })
    func columns() throws -> [Int?] {
      try feed.read { snapshot in
        try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
          .filter { $0.indexPath.section == 0 && $0.column != nil }.map(\.column)
      }
    }
    let before = try columns()
    let incarnation = try feed.read { $0.incarnation }
    #expect(try recomputed(feed, configuration(a: #"{"header":5}"#, b: #"{"columns":1}"#)) == 3)
    #expect(try columns() == before)
    #expect(try feed.read { $0.incarnation } != incarnation)
    try feed.cache.update(
      "feed", with: [.invalidate(layout: "layout", everything: true)], preparing: .upToDate)
    #expect(try columns() != before)
  }
}
