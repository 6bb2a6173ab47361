import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// Rules of custom kinds that read more than one item: their cost, the reported changes, and
/// rejected results.
@Suite struct CustomRuleTests {
  /// A section of 100 items. A curious layout reads their data; other layouts do not.
  private func feed(_ options: String) throws -> TestFeed {
    let feed = try TestFeed(
      [OracleSection("s", sizes: (0..<100).map { (Double($0 % 7 + 1), 20) }, span: 2)],
      configuration:
        #"{"container":{"width":300},"section":{"kind":"curious","options":\#(options)}}"#)
    try feed.cache.prepare(LayoutID("layout", of: "feed"))
    return feed
  }

  @Test func aChangeOfDataPlacesItsReadersAgain() throws {
    let feed = try feed(#"{"data":true,"lookahead":1}"#)
    let data = try ItemData(json: #"{"n":3}"#)
    let commit = try feed.cache.update("feed", with: [.data(key: "s-50", data)])
    let context = try #require(commit.layouts.first?.context)
    #expect((2...4).contains(context.work.recomputedItems))
    #expect(context.sections.first?.items.contains(50) == true)
    #expect(context.sections.first?.items.contains(48) == false)
    // Badges belong to cells.
    #expect(context.sections.first?.supplementaryElements.contains("badge") == true)
    #expect(try feed.cache.verify().problems.isEmpty)
    let blind = try self.feed(#"{"lookahead":1}"#)
    let unseen = try blind.cache.update("feed", with: [.data(key: "s-50", data)])
    #expect(unseen.layouts.map(\.context) == [InvalidationContext()])
  }

  /// Until the state agrees; a rule that looks ahead places those that read the item, too.
  @Test(arguments: [
    (#""kind":"stack""#, 1...1), (#""kind":"counter""#, 1...1), (#""kind":"timeline""#, 1...20),
    (#""kind":"curious","options":{"lookahead":3}"#, 4...7),
  ])
  func anEditPlacesItemsAgainUntilTheStateAgrees(section: String, count: ClosedRange<Int>) throws {
    var items = OracleSection(
      "s", sizes: (0..<1000).map { (100, Double(20 + $0 * 7 % 13)) }, span: 2)
    for index in stride(from: 10, to: 1000, by: 20) { items.items[index].span = 0 }
    let feed = try TestFeed(
      [items], configuration: #"{"container":{"width":400},"section":{\#(section)}}"#)
    try feed.cache.prepare(LayoutID("layout", of: "feed"))
    let commit = try feed.cache.update(
      "feed", with: [.resize(key: "s-500", size: Size(width: 100, height: 1))])
    let context = try #require(commit.layouts.first?.context)
    #expect(count.contains(context.work.recomputedItems), "\(context.work)")
    #expect(context.section(0)?.items.contains(999) == true)
  }

  @Test func theLastItemCanReadThatItIsTheLast() throws {
    let feed = try feed(#"{"lookahead":1}"#)
    let commit = try feed.cache.update("feed", with: [.delete(keys: ["s-99"])])
    #expect((1...2).contains(try #require(commit.layouts.first).context.work.recomputedItems))
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func longerContentInvalidatesItsElements() throws {
    let feed = try feed("{}")
    let items = try (0..<20).map { try Item(key: "n\($0)", width: 9, height: 40) }
    let commit = try feed.cache.update("feed", with: [.insert(items, at: .end(section: "s"))])
    let context = try #require(commit.layouts.first?.context.sections.first)
    #expect(context.decorationElements == ["line", "dot"])
    #expect(context.supplementaryElements == ["corner", "badge"])
  }

  @Test func anItemThatTheRuleRefusesIsNamed() throws {
    let feed = try feed(#"{"index":true}"#)
    let before = try feed.read { try $0.attributes(forKey: "s-99") }
    let nine = try Item(key: "nine", width: 5, height: 5, columnSpan: 9)
    let commit = try feed.cache.update("feed", with: [.insert([nine], at: .after("s-30"))])
    #expect(commit.revision == 2, "the dataset accepts it")
    let reason =
      "layout 'layout' of dataset 'feed' cannot be laid out: item 'nine': nines have no place"
    #expect(commit.behind.map(\.reason) == [reason])
    for call in [
      { try feed.cache.prepare(LayoutID("layout", of: "feed")) }, { try feed.read { _ in } },
      {
        try feed.cache.update("feed", with: [.invalidate(layout: "layout", everything: true)])
        try feed.cache.prepare(LayoutID("layout", of: "feed"))
      },
    ] as [() throws -> Void] {
      #expect { try call() } throws: { "\($0)" == reason }
    }
    #expect(try feed.cache.verify().problems.isEmpty)
    try feed.cache.update("feed", with: [.delete(keys: ["nine"])])
    #expect(try feed.read { try $0.attributes(forKey: "s-99") } == before)
  }

  @Test(arguments: [
    (#"{"lookahead":65}"#, "lookahead of kind 'curious' is 65; the limit is 64"),
    (#"{"lookahead":-1}"#, "lookahead of kind 'curious' is -1; the minimum is 0"),
  ])
  func anInvalidRuleIsRejectedWhenItIsSet(options: String, message: String) throws {
    let feed = try feed("{}")
    #expect {
      try feed.set(
        #"{"container":{"width":300},"section":{"kind":"curious","options":\#(options)}}"#)
    } throws: {
      "\($0)" == "invalid layout configuration: \(message) (in section.options)"
    }
  }

  @Test func effectsAndPinsDoNotAffectCustomElements() throws {
    let feed = try feed("{}")
    let own = { (elements: [LayoutAttributes]) in
      elements.filter { $0.representedElementKind.map { $0 != "header" } ?? false }
    }
    let rect = Rect(x: 0, y: 200, width: 300, height: 300)
    let plain = try feed.read { own(try $0.elements(in: rect).elements) }
    #expect(!plain.isEmpty)
    try feed.set(
      #"""
      {"container":{"width":300},"effect":{"kind":"coverStack"},
       "section":{"kind":"curious","options":{}}}
      """#)
    #expect(try feed.read { own(try $0.elements(in: rect).elements) } == plain)
  }
}
