import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Inputs that break common layout programs, tested on every kind.

@Suite struct KindTrapTests {
  /// Everything, in order, equal to the oracle's.
  @discardableResult
  private func expectOracles(
    _ feed: TestFeed, _ sections: [OracleSection], _ configuration: String
  ) throws -> [OracleElement] {
    let found = try OracleElement.all(of: feed.cache)
    let oracle = try Oracle(configuration: configuration, sections: sections)
    #expect(found == OracleElement.all(of: oracle))
    return found
  }

  @Test(arguments: KindExample.growing)
  func contentBelowARectangleIsNotReadInAnyKind(kind: KindExample) throws {
    let works = try [2000, 60_000].map { count in
      let feed = try TestFeed([.mixed("s", count: count)], configuration: kind.configuration())
      let top = Rect(x: 0, y: 0, width: 200, height: 150)
      return try feed.read { try $0.elements(in: top).work.nodesVisited }
    }
    // No more than the levels that the trees have grown by, on a path for each column.
    #expect(works[1] <= works[0] + 12)
  }

  @Test(arguments: KindExample.growing)
  func aContainerTooNarrowIsRejectedWithTheWidthItWouldNeed(kind: KindExample) throws {
    let feed = try TestFeed([.mixed("s", count: 3)])
    let hasColumns = kind.members.contains("columns")
    let (needed, columns) = hasColumns ? (209, 3) : (201, 1)
    let insets = #","inset":{"left":120,"right":80}"#
    #expect {
      try feed.set(kind.configuration(width: Double(needed) - 0.5, extra: insets))
    } throws: { error in
      guard case .configuration(let refusal) = (error as? LayoutCacheError)?.code else {
        return false
      }
      return refusal.code
        == .containerTooNarrow(
          crossLength: .points(Double(needed) - 0.5), neededLength: .points(Double(needed)),
          columns: columns)
    }
    try feed.set(kind.configuration(width: Double(needed), extra: insets))
    #expect(try feed.read { $0.contentSize.height } > .zero)
  }

  // 64 items and 128 lines per leaf, 64 children per node; one item per line, and three.
  @Test(
    arguments: KindExample.all,
    [0, 1, 21, 22, 63, 64, 65, 127, 128, 129, 383, 384, 385, 4095, 4096, 4097, 8191, 8192, 8193])
  func countsAroundBlockSizesGiveNoGapsOrDuplicates(kind: KindExample, count: Int) throws {
    let sections = [OracleSection("s", sizes: Array(repeating: (60, 40), count: count))]
    for width in [60.0, 200] where count <= 400 || (width == 60 && kind.name != "circle") {
      let text = kind.configuration(width: width)
      let feed = try TestFeed(sections, configuration: text)
      let found = try expectOracles(feed, sections, text)
      #expect(found.map(\.item) == (0..<count).map { $0 })
    }
  }

  @Test(arguments: KindExample.all)
  func manyItemsMeetNoLimitOfArgumentsOrRecursion(kind: KindExample) throws {
    let feed = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (60, 40), count: 126_001))],
      configuration: kind.configuration())
    try feed.read { snapshot in
      let page = try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize))
      #expect(page.elements.count == 126_001)
      #expect(page.elements.last?.indexPath.item == 126_000)
      #expect(page.elements.last.map { $0.frame.maxY <= snapshot.contentSize.height } == true)
    }
  }

  // 2^24, 2^31 and 2^32 points and more.
  @Test(arguments: [
    #""kind":"waterfall","columns":1,"itemLength":"natural","lineSpacing":0.015625"#,
    #""kind":"flow","minimumLineSpacing":0.015625"#,
    #""kind":"flow","itemSize":{"width":1,"height":1000000},"minimumLineSpacing":0.015625"#,
    #""kind":"flow","lineLength":1000000,"minimumLineSpacing":0.015625"#,
    #""kind":"grid","columns":1,"rowLength":1000000,"lineSpacing":0.015625"#,
    #""kind":"justified","targetRowLength":1000000,"spacing":0.015625"#,
  ])
  func positionsBeyondEveryPowerOfFloatAreExact(members: String) throws {
    let feed = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (1, 1_000_000), count: 5000))],
      configuration: #"{"container":{"width":1},"section":{\#(members)}}"#)
    try feed.read { snapshot in
      for item in [0, 17, 2148, 4295, 4999] {
        let attributes = try snapshot.attributes(at: IndexPath(section: 0, item: item))
        #expect(attributes?.frame.minY.units == Int64(item) * 64_000_001)
        #expect(attributes?.frame.size.height.units == 64_000_000)
      }
    }
  }

  @Test func pagesBeyondEveryPowerOfFloatAreExact() throws {
    let sections = (0..<4400).map { OracleSection("s\($0)", sizes: [(1, 1)]) }
    let feed = try TestFeed(
      sections,
      configuration: #"""
        {"container":{"width":2,"height":1000000},"sectionSpacing":0.015625,
         "section":{"kind":"circle","itemSize":{"width":2,"height":2}}}
        """#)
    try feed.read { snapshot in
      for section in [0, 17, 2148, 4295, 4399] {
        let attributes = try snapshot.attributes(at: IndexPath(section: section, item: 0))
        // In the middle of its page, which is as narrow as the item.
        #expect(attributes?.frame.minY.units == Int64(section) * 64_000_001 + 32_000_000 - 64)
      }
    }
  }
}
