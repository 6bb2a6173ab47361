import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Inputs that break common layout programs, by name.

@Suite struct TrapTests {
  private func rect(_ x: Length, _ y: Length, _ width: Length, _ height: Length) -> Rect {
    Rect(x: x, y: y, width: width, height: height)
  }

  private func feed(
    _ sizes: [(Double, Double)], _ section: String, width: Double = 200
  ) throws -> TestFeed {
    try TestFeed(
      [OracleSection("s", sizes: sizes)],
      configuration: #"{"container":{"width":\#(width)},"section":{\#(section)}}"#)
  }

  private func items(_ feed: TestFeed, _ rect: Rect) throws -> [Int] {
    try feed.read { try $0.elements(in: rect).elements.compactMap(\.indexPath.item) }
  }

  @Test func aGrownItemOfAWaterfallHidesNothingFurtherDown() throws {
    var sizes = Array(repeating: (100.0, 100.0), count: 1000)
    sizes[1] = (100, 1_000_000)
    let feed = try feed(sizes, #""columns":2"#)
    // Column 0 continues alone next to it; item 1 is in every rectangle.
    #expect(try items(feed, rect(0, 50_050, 200, 100)) == [1, 501, 502])
    #expect(try items(feed, rect(0, 999_999, 200, 100)) == [1])
  }

  @Test func aGrownItemOfALineHidesNothingFurtherDown() throws {
    var sizes = Array(repeating: (100.0, 100.0), count: 1000)
    let plain = try feed(sizes, #""kind":"flow","crossAlignment":"top""#)
    sizes[1] = (100, 1_000_000)
    let feed = try feed(sizes, #""kind":"flow","crossAlignment":"top""#)
    #expect(try items(feed, rect(0, 999_950, 200, 100)) == [1, 2, 3])
    #expect(try items(feed, rect(0, 1_010_000, 200, 100)) == [202, 203])
    let works = try [(plain, 10_100.0), (feed, 1_010_000)].map { feed, y in
      try feed.read { snapshot in
        // The first query of a snapshot also looks its section up.
        _ = try snapshot.elements(in: rect(0, 0, 200, 100))
        return try snapshot.elements(in: rect(0, .points(y), 200, 100)).work.nodesVisited
      }
    }
    #expect(works[0] == works[1])
  }

  @Test func itemsOfTheLeastSizeAreAllFound() throws {
    // 12,800 in a line of 200 points, and the rest.
    let feed = try feed(Array(repeating: (0.015625, 0.015625), count: 20_000), #""kind":"flow""#)
    #expect(try feed.read { $0.contentSize.height.units } == 2)
    #expect(try items(feed, rect(100, 0, 1, 1)) == Array(6400..<6464) + Array(19_200..<19_264))
    let commit = try feed.cache.update("feed", with: [.delete(keys: ["s-0"])])
    #expect(commit.layouts.first?.context.work.recomputedItems == 19_999)
    #expect(try items(feed, rect(199, 0, 1, 1)) == Array(12_736..<12_800))
  }

  @Test(arguments: [
    #""columns":1,"itemLength":0.015625"#, #""kind":"justified","targetRowLength":0.015625"#,
  ])
  func rowsOfTheLeastLengthAreAllFound(section: String) throws {
    let feed = try feed(Array(repeating: (200, 1), count: 20_000), section, width: 1)
    try feed.read { snapshot in
      #expect(snapshot.contentSize.height.units == 20_000)
      let page = try snapshot.elements(in: rect(0, 100, 1, 1))
      #expect(page.elements.compactMap(\.indexPath.item) == Array(6400..<6464))
      #expect(page.work.nodesVisited < 20)
    }
  }

  @Test func aLastRowIsLimitedToItsMaximumLength() throws {
    // To fill the line, an item of 1/64 x 1,000,000 points would be 2^26 x 10^6 points long.
    let feed = try feed(
      [(0.015625, 1_000_000)],
      #""kind":"justified","targetRowLength":1000000,"maximumRowLength":1000000,"lastRow":"fill""#,
      width: 1_000_000)
    #expect(try feed.read { $0.contentSize.height } == 1_000_000)
  }

  @Test func theErrorForExcessiveContentNamesTheLimit() throws {
    let feed = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (1.0 / 64, 1_000_000), count: 3))],
      configuration: #"{"container":{"width":1000000},"section":{"columns":1}}"#)
    #expect {
      try feed.read { $0.contentSize }
    } throws: { error in
      guard
        case .cannotLayOut(LayoutID("layout", of: "feed"), let refusal) =
          (error as? LayoutCacheError)?.code
      else { return false }
      return (refusal.reason as? LimitError)?.subject == "content length"
    }
    #expect(try feed.cache.layout(LayoutID("layout", of: "feed")).preparedRevision == nil)
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func aStackHasTheCellsOfAVisibleLength(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sizes = (0..<2000).map { _ in (100.0, Double(Int.random(in: 20...300, using: &generator))) }
    let feed = try TestFeed(
      [OracleSection("s", sizes: sizes)],
      configuration: #"""
        {"container":{"width":200,"height":400},"effect":{"kind":"coverStack"},
         "section":{"columns":2,"itemLength":"natural","lineSpacing":5}}
        """#)
    try feed.read { snapshot in
      let visible = Rect(x: 0, y: snapshot.contentSize.height.half, width: 200, height: 400)
      let whole = try snapshot.elements(in: visible).elements
      var before = visible
      before.origin.y = before.origin.y - visible.size.height
      before.size.height = visible.size.height + visible.size.height
      let found = try snapshot.elements(asLaidOutIn: before).elements
      #expect(found.map(\.indexPath) == whole.map(\.indexPath))
      var page = try snapshot.elements(in: visible, limit: 3)
      var paged = page.elements
      while let next = page.next {
        page = try snapshot.elements(after: next)
        paged += page.elements
      }
      #expect(paged == whole)
    }
  }
}
