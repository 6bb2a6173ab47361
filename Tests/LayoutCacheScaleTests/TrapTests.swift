import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Inputs that break common layout programs, by name.

@Suite struct TrapTests {
  private func points(_ points: Double) -> Length { Length(units: Int64(points * 64)) }

  private func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Rect {
    Rect(x: points(x), y: points(y), width: points(width), height: points(height))
  }

  private func feed(
    _ sizes: [(Double, Double)], span: Int = 1, _ section: String, width: Double = 200,
    rest: String = ""
  ) throws -> TestFeed {
    try TestFeed(
      [OracleSection("s", sizes: sizes, span: span)],
      configuration: #"{"container":{"width":\#(width)},"section":\#(section)\#(rest)}"#)
  }

  private func items(_ feed: TestFeed, _ rect: Rect) throws -> [Int] {
    try feed.read { try $0.elements(in: rect).elements.compactMap(\.indexPath.item) }
  }

  @Test func theTallItemOfARowIsReturnedInEveryRow() throws {
    // Rows of one tall and one short item, evened out by the next pair.
    let sizes = (0..<200).flatMap { _ in [(100.0, 300.0), (100.0, 20.0), (100.0, 280.0)] }
    let feed = try feed(sizes, #"{"columns":2}"#)
    for row in 0..<200 {
      let found = try items(feed, rect(0, Double(row) * 300 + 299, 200, 1))
      #expect(found == [row * 3, row * 3 + 2])
    }
  }

  @Test func aGrownItemHidesNothingFurtherDown() throws {
    var sizes = Array(repeating: (100.0, 100.0), count: 1000)
    sizes[1] = (100, 1_000_000)
    let feed = try feed(sizes, #"{"columns":2}"#)
    // Column 0 continues alone next to it; item 1 is in every rectangle.
    #expect(try items(feed, rect(0, 50_050, 200, 100)) == [1, 501, 502])
    #expect(try items(feed, rect(0, 999_999, 200, 100)) == [1])
  }

  @Test func touchingElementsDoNotIntersect() throws {
    let feed = try feed([(100, 100), (100, 100)], #"{"columns":1}"#, width: 100)
    #expect(try items(feed, rect(0, 100, 100, 100)) == [1])
    #expect(try items(feed, rect(0, 0, 100, 100)) == [0])
    #expect(try items(feed, rect(100, 0, 100, 100)) == [])
    #expect(try items(feed, rect(-100, 0, 100, 100)) == [])
    #expect(try items(feed, rect(0, 200, 100, 100)) == [])
  }

  @Test func itemsOfTheLeastLengthAreAllFound() throws {
    let feed = try feed(
      Array(repeating: (100, 1), count: 20_000), #"{"columns":1,"itemLength":0.015625}"#)
    try feed.read { snapshot in
      #expect(snapshot.contentSize.height.units == 20_000)
      let page = try snapshot.elements(in: rect(0, 100, 200, 1))
      #expect(page.elements.compactMap(\.indexPath.item) == Array(6400..<6464))
      #expect(page.work.nodesVisited < 20)
    }
  }

  @Test func extremeRatiosAreExactAndClampedOnlyByTheBounds() throws {
    let sizes: [(Double, Double)] = [(4000, 1), (1, 600)]
    let free = try feed(sizes, #"{"columns":1}"#)
    #expect(try free.read { $0.contentSize.height.points } == 0.046875 + 120_000)
    let bounded = try feed(
      sizes, #"{"columns":1,"minimumLength":20,"maximumLength":500}"#)
    #expect(try bounded.read { $0.contentSize.height.points } == 520)
  }

  @Test func theContentHasNoTrailingSpacing() throws {
    for count in 0...4 {
      let feed = try feed(
        Array(repeating: (100, 100), count: count), #"{"columns":1,"lineSpacing":7}"#,
        width: 100)
      let expected = count == 0 ? 0 : Double(count) * 107 - 7
      #expect(try feed.read { $0.contentSize.height.points } == expected)
    }
  }

  @Test func anEmptySectionHasItsHeaderAndFooter() throws {
    let feed = try feed([], #"{"header":50,"footer":20}"#)
    try feed.read { snapshot in
      #expect(snapshot.contentSize.height.points == 70)
      let frames = try snapshot.elements(in: rect(0, 0, 200, 70)).elements.map(\.frame)
      #expect(frames == [rect(0, 0, 200, 50), rect(0, 50, 200, 20)])
    }
  }

  @Test func noSectionsHaveNoContent() throws {
    let feed = try TestFeed(
      [], configuration: #"{"container":{"width":200},"section":{"header":50}}"#)
    try feed.read { snapshot in
      #expect(snapshot.contentSize == Size(width: points(200), height: .zero))
      let elements = try snapshot.elements(in: rect(0, 0, 200, 100)).elements
      #expect(elements.isEmpty)
    }
  }

  @Test func manyItemsMeetNoLimitOfArgumentsOrRecursion() throws {
    let feed = try feed(
      Array(repeating: (100, 100), count: 126_000), #"{"columns":1}"#, width: 100)
    try feed.read { snapshot in
      let page = try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize))
      #expect(page.elements.count == 126_000)
      #expect(page.elements.last?.frame.minY.points == 12_599_900)
    }
  }

  @Test func positionsBeyondEveryPowerOfFloatAreExact() throws {
    // 2^24, 2^31 and 2^32 points and more.
    let feed = try feed(
      Array(repeating: (1, 1_000_000), count: 5000),
      #"{"columns":1,"itemLength":"natural","lineSpacing":0.015625}"#)
    try feed.read { snapshot in
      for item in [0, 17, 2148, 4295, 4999] {
        let attributes = try snapshot.attributes(at: IndexPath(section: 0, item: item))
        #expect(attributes?.frame.minY.units == Int64(item) * 64_000_001)
      }
    }
  }

  @Test func columnsChangedAndChangedBackEqualAFreshLayout() throws {
    var generator = SeededGenerator(seed: 5)
    let sizes = (0..<500).map { _ in (100.0, Double(Int.random(in: 1...900, using: &generator))) }
    let feed = try feed(sizes, #"{"columns":5}"#)
    func frames() throws -> [Rect] {
      try feed.read { snapshot in
        try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
          .map(\.frame)
      }
    }
    let first = try frames()
    for _ in 0..<20 {
      try feed.set(#"{"container":{"width":150},"section":{"columns":3}}"#)
      #expect(try frames() != first)
      try feed.set(#"{"container":{"width":200},"section":{"columns":5}}"#)
      #expect(try frames() == first)
    }
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func aSpanWiderThanTheColumnsIsClamped() throws {
    let feed = try feed([(200, 100)], span: 60_000, #"{"columns":2}"#)
    let frame = try feed.read { try $0.attributes(forKey: "s-0")?.frame }
    #expect(frame == rect(0, 0, 200, 100))
  }

  @Test func aPointInAGapCoveredByASpanningItemIsTheItems() throws {
    // Found by the property test: a gap belongs to no column, but is inside the items that span
    // it.
    let feed = try feed([(100, 100)], span: 2, #"{"columns":2,"columnSpacing":20}"#)
    #expect(try items(feed, rect(99, 50, 1, 1)) == [0])
    let plain = try self.feed([(100, 100), (100, 100)], #"{"columns":2,"columnSpacing":20}"#)
    #expect(try items(plain, rect(99, 50, 1, 1)) == [])
  }

  @Test func aFullWidthItemStartsUnderTheLongestColumn() throws {
    let sections = [
      OracleSection(
        key: "s",
        items: [
          OracleItem(key: "a", width: 100, height: 300),
          OracleItem(key: "b", width: 100, height: 20),
          OracleItem(key: "full", width: 200, height: 50, span: 0),
          OracleItem(key: "c", width: 100, height: 20),
        ])
    ]
    let feed = try TestFeed(
      sections, configuration: #"{"container":{"width":200},"section":{"columns":2}}"#)
    try feed.read { snapshot in
      let full = try snapshot.attributes(forKey: "full")
      let next = try snapshot.attributes(forKey: "c")
      #expect(full?.frame == rect(0, 300, 200, 50))
      #expect(next?.frame == rect(0, 350, 100, 20))
    }
  }

  @Test func mirroredFramesAreNeverNegativeOnEitherAxis() throws {
    for direction in ["vertical", "horizontal"] {
      let feed = try TestFeed(
        [OracleSection("s", sizes: Array(repeating: (30, 40), count: 50))],
        configuration: #"""
          {"container":{"width":200,"height":100},"scrollDirection":"\#(direction)",
           "layoutDirection":"rightToLeft","section":{"columns":3,"inset":{"left":5},"header":9}}
          """#)
      try feed.read { snapshot in
        let size = snapshot.contentSize
        let all = try snapshot.elements(in: Rect(origin: .zero, size: size)).elements
        #expect(all.count == 51)
        for element in all {
          #expect(element.frame.minX >= .zero)
          #expect(element.frame.maxX <= size.width)
        }
        // The first item lies at the right end, after the header or the inset.
        let first = try #require(all.first { $0.indexPath.item == 0 })
        let before = direction == "vertical" ? 5.0 : 14
        #expect(first.frame.maxX == size.width - points(before))
      }
    }
  }

  @Test func pinnedElementsNeverLeaveTheirSection() throws {
    let sections = [
      OracleSection("a", sizes: [(100, 300)]), OracleSection("empty", sizes: []),
      OracleSection("b", sizes: [(100, 300)]),
    ]
    let feed = try TestFeed(
      sections,
      configuration: #"""
        {"container":{"width":100},
         "section":{"columns":1,"header":50,"footer":20,"pinsHeader":true,"pinsFooter":true}}
        """#)
    try feed.read { snapshot in
      var extents: [Range<Length>] = []
      try snapshot.forEachSection { section in
        extents.append(section.start..<(section.start + section.length))
        return true
      }
      for start in stride(from: -400.0, to: 1300, by: 7) {
        let page = try snapshot.elements(
          in: rect(-10, -2000, 200, 4000), visible: rect(0, start, 100, 200))
        #expect(page.elements.count == 8)
        for element in page.elements where element.indexPath.item == nil {
          let extent = extents[element.indexPath.section]
          #expect(element.frame.minY >= extent.lowerBound, "visible from \(start)")
          #expect(element.frame.maxY <= extent.upperBound, "visible from \(start)")
        }
      }
      // In the middle of the first section its header is at the visible start.
      let pinned = try snapshot.elements(in: rect(0, 100, 100, 200)).elements
      #expect(pinned.map(\.frame).first == rect(0, 100, 100, 50))
    }
  }

  @Test func replacingEveryKeyButNoSizeKeepsTheFrames() throws {
    let feed = try feed([(100, 100), (100, 50)], #"{"columns":2}"#)
    let before = try feed.read { try $0.attributes(at: IndexPath(section: 0, item: 1))?.frame }
    try feed.importItems(
      [OracleSection("t", sizes: [(100, 100), (100, 50)])], mode: .replace)
    let after = try feed.read { try $0.attributes(forKey: "t-1")?.frame }
    #expect(after == before)
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
}
