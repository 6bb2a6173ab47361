import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Styles of sections: which options apply, and what a change recomputes.

@Suite struct StyleTests {
  private static let text = #"""
    {"container":{"width":400},
     "section":{"kind":"waterfall","columns":3},
     "styles":{"hero":{"columns":1,"header":20},"tiles":{"kind":"grid","columns":4},
               "twin":{"footer":9},"tight":{"inset":{"left":380}}},
     "sections":{"b":{"columns":2,"columnSpacing":30}}}
    """#

  private func feed(count: Int = 200) throws -> TestFeed {
    let feed = try TestFeed(
      [.mixed("a", count: count), .mixed("b", count: 40), .mixed("c", count: 30)],
      configuration: Self.text)
    try feed.cache.prepare(LayoutID("layout", of: "feed"))
    return feed
  }

  private func context(
    _ feed: TestFeed, _ operations: BatchOperation...
  ) throws -> InvalidationContext {
    let commit = try feed.cache.update("feed", with: operations, preparing: .upToDate)
    #expect(try feed.cache.verify().problems.isEmpty)
    return try #require(commit.layouts.first).context
  }

  /// Returns the columns of a section's items.
  private func columns(_ feed: TestFeed, _ section: Int) throws -> [Int?] {
    try feed.read { snapshot in
      try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
        .filter { $0.indexPath.section == section && $0.indexPath.item != nil }.map(\.column)
    }
  }

  @Test func aStyleThatPlacesItemsAlikeKeepsTheirColumns() throws {
    let feed = try feed()
    // From scratch the items would choose other columns.
    try feed.cache.update("feed", with: (0..<20).map { .delete(keys: ["a-\($0 * 3)"]) })
    let before = try columns(feed, 0)
    let context = try context(feed, .style(section: "a", style: "twin"))
    #expect(context.work.recomputedItems == 0)
    #expect(context.contentSizeAdjustment.height == .points(9))
    #expect(context.sections[0].supplementaryElements == [.footer])
    #expect(try columns(feed, 0) == before)
  }

  @Test func anOverrideThatCannotBeCombinedAppliesWithoutTheStyle() throws {
    let feed = try feed()
    let before = try columns(feed, 1)
    #expect(try context(feed, .style(section: "b", style: "tight")).sections.isEmpty)
    #expect(try columns(feed, 1) == before)
    // The same style applies where nothing contradicts it.
    #expect(try context(feed, .style(section: "c", style: "tight")).work.recomputedItems == 30)
    #expect(Set(try columns(feed, 2)) == [0, 1, 2])
  }

  @Test func warningsNameMissingSectionsAndStyles() throws {
    let feed = try feed()
    try feed.cache.update(
      "feed", with: [.style(section: "a", style: "lost"), .style(section: "c", style: "hero")])
    var configuration = try ConfigurationText.decode(Self.text)
    #expect(
      try feed.cache.warnings(about: configuration, of: "feed")
        == ["sections have the style 'lost', which 'styles' lacks"])
    for number in 0..<100 { configuration.sections[ExactKey("s\(number)")] = SectionOptions() }
    configuration.styles["lost"] = SectionOptions()
    #expect(
      try feed.cache.warnings(about: configuration, of: "feed") == [
        "the dataset has no section 's0', 's1', 's10', 's11', 's12' and 95 more of 'sections'"
      ])
  }
}
