import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Inputs that break common layout programs: queries that depend on the visible rectangle, and
// mirrored layouts.

@Suite struct VisibleTrapTests {
  private static let directions = [
    "", #","layoutDirection":"rightToLeft""#, #","scrollDirection":"horizontal""#,
    #","scrollDirection":"horizontal","layoutDirection":"rightToLeft""#,
  ]

  /// A full section, an empty one, one shorter than its header, and the last.
  private static let sections = [
    OracleSection.mixed("a", count: 9), OracleSection("empty", sizes: []),
    OracleSection("short", sizes: [(30, 4)]), OracleSection.mixed("b", count: 7),
  ]

  /// Visible rectangles with an edge a unit before, at and a unit after every border of a
  /// section or element on the main axis.
  private func visibleRects(_ oracle: Oracle) -> [UnitRect] {
    let isVertical = oracle.contentSize.width == 12_800
    var starts: Set<Int64> = [-6400]
    for element in oracle.allElements() where element.kind != nil || element.item == 0 {
      let range =
        isVertical
        ? element.y..<(element.y + element.height) : element.x..<(element.x + element.width)
      for border in [range.lowerBound, range.upperBound] {
        starts.formUnion([border - 1, border, border + 1, border - 9600, border - 9599])
      }
    }
    return starts.sorted().map { start in
      isVertical
        ? UnitRect(x: 0, y: start, width: 12_800, height: 9600)
        : UnitRect(x: start, y: 0, width: 12_800, height: 9600)
    }
  }

  @Test(arguments: KindExample.every, directions)
  func pinnedElementsNeverLeaveTheirSectionAtAnyBorder(
    kind: KindExample, direction: String
  ) throws {
    let text = kind.configuration(
      extra: #","header":50,"footer":20,"pinsHeader":true,"pinsFooter":true"#, rest: direction)
    let feed = try TestFeed(Self.sections, configuration: text)
    let oracle = try Oracle(configuration: text, sections: Self.sections)
    let isVertical = !direction.contains("horizontal")
    let isMirrored = direction.contains("horizontal") && direction.contains("rightToLeft")
    try feed.read { snapshot in
      let everywhere = UnitRect(x: -64_000, y: -64_000, width: 1_280_000, height: 1_280_000)
      for visible in visibleRects(oracle) {
        let page = try snapshot.elements(in: Rect(everywhere), visible: Rect(visible))
        let found = page.elements.map(OracleElement.init)
        #expect(found == oracle.elements(in: everywhere, visible: visible))
        for element in found where element.category == .supplementary {
          let section = oracle.sectionsSummary[element.section]
          let start =
            isVertical
            ? element.y
            : isMirrored ? oracle.contentSize.width - element.x - element.width : element.x
          let length = isVertical ? element.height : element.width
          #expect(start >= section.start)
          #expect(start + length <= section.start + section.length)
        }
        let seen = try snapshot.elements(in: Rect(visible)).elements.map(OracleElement.init)
        #expect(seen == oracle.elements(in: visible))
      }
    }
  }

  @Test(arguments: directions)
  func pinnedElementsAreAboveCellsInEveryCall(direction: String) throws {
    let text = KindExample.grid.configuration(
      extra: #","header":50,"footer":20,"pinsHeader":true"#,
      rest: direction + #","sections":{"b":{"pinsHeader":false,"pinsFooter":true}}"#)
    let sections = [OracleSection.mixed("a", count: 9), .mixed("b", count: 9)]
    let feed = try TestFeed(sections, configuration: text)
    let oracle = try Oracle(configuration: text, sections: sections)
    try feed.read { snapshot in
      func zIndices(_ elements: [LayoutAttributes?]) -> [Int?] { elements.map { $0?.zIndex } }
      let expected = [2_147_483_647, 0, 0, 2_147_483_647]
      let everywhere = Rect(x: -9999, y: -9999, width: 99_999, height: 99_999)
      // Displaced or not.
      for visible in [everywhere, Rect(x: 70, y: 70, width: 150, height: 150)] {
        let page = try snapshot.elements(in: everywhere, visible: visible)
        #expect(
          zIndices(page.elements.filter { $0.indexPath.item == nil }) == expected)
      }
      #expect(
        try zIndices(
          (0..<2).flatMap { section in
            try [LayoutAttributes.SupplementaryKind.header, .footer].map {
              try snapshot.attributes(forSupplementary: $0, inSection: section)
            }
          }) == expected)
      for visible in visibleRects(oracle) {
        for offset in [0, 10, 49, 50] as [Int64] {
          let point = UnitPoint(x: visible.x + offset * 64, y: visible.y + offset * 64)
          let place = Point(x: Length(units: point.x), y: Length(units: point.y))
          let found = try snapshot.element(at: place, visible: Rect(visible))
          #expect(found.map(OracleElement.init) == oracle.element(at: point, visible: visible))
          #expect(
            try snapshot.element(at: place).map(OracleElement.init) == oracle.element(at: point))
        }
      }
    }
  }

  @Test(arguments: KindExample.all, ["vertical", "horizontal"])
  func mirroredFramesAreTheMirrorAndNeverNegative(kind: KindExample, axis: String) throws {
    let sections = [OracleSection.mixed("a", count: 50), OracleSection.mixed("b", count: 3)]
    func elements(_ direction: String) throws -> ([OracleElement], Int64) {
      let feed = try TestFeed(
        sections,
        configuration: kind.configuration(
          extra: #","header":9,"footer":4,"inset":{"left":5,"right":2,"top":1}"#,
          rest: #","scrollDirection":"\#(axis)","layoutDirection":"\#(direction)""#))
      return (
        try OracleElement.all(of: feed.cache), try feed.read { $0.contentSize.width.units }
      )
    }
    let (plain, width) = try elements("leftToRight")
    let (mirrored, sameWidth) = try elements("rightToLeft")
    #expect(width == sameWidth)
    #expect(plain.count == mirrored.count)
    for (one, other) in zip(plain, mirrored) {
      var expected = one
      expected.x = width - one.x - one.width
      #expect(other == expected)
      #expect(other.x >= 0)
      #expect(other.x + other.width <= width)
    }
  }

  @Test(
    arguments: [
      #"{"kind":"scale"}"#, #"{"kind":"scale","maximumScale":0.2}"#, #"{"kind":"coverStack"}"#,
      #"{"kind":"rotary"}"#,
    ], directions)
  func effectsChangeOnlyCellsAndAreExactAtEveryBorder(
    effect: String, direction: String
  ) throws {
    for kind in KindExample.every {
      let text = kind.configuration(
        extra: #","header":20,"pinsHeader":true,"background":{"kind":"card"}"#,
        rest: #","effect":\#(effect)"# + direction)
      let feed = try TestFeed(Self.sections, configuration: text)
      let oracle = try Oracle(configuration: text, sections: Self.sections)
      try feed.read { snapshot in
        for visible in visibleRects(oracle) {
          let found = try snapshot.elements(in: Rect(visible)).elements
          #expect(
            found.map(OracleElement.init).isEqual(
              to: oracle.elements(in: visible), in: visible, transformTolerance: 1e-9))
          #expect(
            found.allSatisfy { $0.indexPath.item != nil || $0.transform3D.isIdentity })
          // Queries for a single element ignore effects.
          for element in found {
            guard case .cell(let key) = element.category else { continue }
            let plain = try snapshot.attributes(forKey: key)
            #expect(plain?.transform3D.isIdentity == true)
            #expect(plain?.zIndex == 0)
          }
        }
      }
    }
  }

  @Test func thousandsOfStackedCellsHaveATopmostOne() throws {
    let feed = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (1, 1), count: 3000))],
      configuration: #"""
        {"container":{"width":200},"section":{"kind":"grid","columns":1,"rowLength":100},
         "effect":{"kind":"coverStack"}}
        """#)
    try feed.read { snapshot in
      let visible = Rect(x: 0, y: 250_050, width: 200, height: 200)
      let cells = try snapshot.elements(in: visible).elements
      #expect(cells.compactMap(\.indexPath.item) == Array(2500...2502))
      for (y, item) in [(250_060.0, 2500), (250_110, 2501)] {
        let found = try snapshot.element(at: Point(x: 100, y: .points(y)), visible: visible)
        #expect(found?.indexPath.item == item && found?.zIndex == item)
      }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func aStackOmitsCoveredCells(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sizes = (0..<2000).map { _ in (100.0, Double(Int.random(in: 20...300, using: &generator))) }
    let feed = try TestFeed(
      [OracleSection("s", sizes: sizes)],
      configuration: #"""
        {"container":{"width":200,"height":400},"effect":{"kind":"coverStack"},
         "section":{"columns":2,"itemLength":"natural","lineSpacing":5}}
        """#)
    try feed.read { snapshot in
      let visible = Rect(
        x: 0, y: snapshot.contentSize.height.half, width: 200, height: 400)
      let whole = try snapshot.elements(in: visible).elements
      // Of 1,000 stacked cells, for each column those that are longer or shorter than all later
      // ones.
      #expect((4...100).contains(whole.count), "\(whole.count)")
      var page = try snapshot.elements(in: visible, limit: 3)
      var paged = page.elements
      while let next = page.next {
        page = try snapshot.elements(after: next)
        paged += page.elements
      }
      #expect(paged == whole)
    }
  }

  @Test(arguments: directions)
  func pagesTurnAtEveryBorder(direction: String) throws {
    let isVertical = !direction.contains("horizontal")
    let text = KindExample(
      name: "", members: #""kind":"grid","columns":1,"rowLength":\#(isVertical ? 150 : 200)"#
    ).configuration(rest: #","effect":{"kind":"pageTurn"}"# + direction)
    let sections = [OracleSection.mixed("a", count: 5), .mixed("b", count: 2)]
    let feed = try TestFeed(sections, configuration: text)
    let oracle = try Oracle(configuration: text, sections: sections)
    try feed.read { snapshot in
      for visible in visibleRects(oracle) {
        let found = try snapshot.elements(in: Rect(visible)).elements.map(OracleElement.init)
        #expect(found == oracle.elements(in: visible))
      }
    }
  }
}
