import TestSupport
import Testing

@Suite struct OracleSectionFrameTests {
  private let framed = """
    "kind":"waterfall","columns":1,"itemLength":100,
    "inset":{"top":1,"left":2,"bottom":3,"right":4},"header":50,"footer":20,
    "background":{"kind":"card","inset":{"top":5,"left":6,"bottom":7,"right":8},"zIndex":-3}
    """

  @Test func emptySectionKeepsHeaderAndFooter() throws {
    let oracle = try Oracle(
      width: 300, section: #""kind":"waterfall","columns":2,"header":50,"footer":20"#,
      [section([])])
    #expect(oracle.contentSize.height == 70 * 64)
    #expect(
      oracle.allElements().map { PointFrame($0.frame) } == [
        PointFrame(0, 0, 300, 50), PointFrame(0, 50, 300, 20),
      ])
  }

  @Test func partsFollowEachOtherAlongTheMainAxis() throws {
    let oracle = try Oracle(
      width: 300, top: #""sectionSpacing":9"#, section: framed,
      [section("a", items(heights: [1])), section("b", [])])
    // a: 50 + 1 + 100 + 3 + 20 = 174, then 9; b: 50 + 1 + 3 + 20 = 74.
    #expect(
      oracle.sectionsSummary == [
        OracleSectionSummary(key: "a", firstItem: 0, count: 1, start: 0, length: 174 * 64),
        OracleSectionSummary(
          key: "b", firstItem: 1, count: 0, start: 183 * 64, length: 74 * 64),
      ])
    #expect(oracle.contentSize.height == 257 * 64)
    let elements = oracle.allElements()
    #expect(elements.map(\.kind) == ["card", "header", nil, "footer", "card", "header", "footer"])
    #expect(elements.map(\.section) == [0, 0, 0, 0, 1, 1, 1])
    #expect(elements[0].zIndex == -3)
    #expect(
      elements.map { PointFrame($0.frame) } == [
        PointFrame(6, 55, 286, 92), PointFrame(0, 0, 300, 50), PointFrame(2, 51, 294, 100),
        PointFrame(0, 154, 300, 20),
        // Insets of 1 + 3 less the background's own 5 + 7: nothing is left.
        PointFrame(6, 238, 286, 0), PointFrame(0, 183, 300, 50), PointFrame(0, 237, 300, 20),
      ])
  }

  @Test func lengthZeroMeansNoElement() throws {
    let oracle = try Oracle(
      width: 300, section: #""kind":"grid","columns":1,"rowLength":10,"header":0,"footer":0"#,
      [section(items(heights: [1]))])
    #expect(oracle.allElements().map(\.category) == [.cell])
    #expect(oracle.supplementary(kind: "header", section: 0) == nil)
  }

  @Test func noSectionsHaveNoLength() throws {
    let oracle = try Oracle(width: 300, top: #""sectionSpacing":9"#, section: framed, [])
    #expect(oracle.contentSize == UnitSize(width: 300 * 64, height: 0))
    #expect(oracle.allElements().isEmpty)
  }

  @Test func overridesReplaceMembersAndTheKind() throws {
    let oracle = try Oracle(
      width: 300,
      top: """
        "sections":{"b":{"kind":"grid","columns":3,"rowLength":"square","header":0,
        "inset":{"left":30},"background":null}}
        """, section: framed,
      [section("a", items(heights: [1])), section("b", items(heights: [1, 1]))])
    // The inset is replaced whole: 30 at the left, 0 elsewhere. T = 270.
    #expect(
      oracle.elements(in: UnitRect(pointsX: 0, y: 174, width: 300, height: 300)).map {
        PointFrame($0.frame)
      } == [
        PointFrame(30, 174, 90, 90), PointFrame(120, 174, 90, 90), PointFrame(0, 264, 300, 20),
      ])
  }

  @Test func overrideOfTheColumnWidthDisplacesTheColumns() throws {
    let oracle = try Oracle(
      width: 300, top: #""sections":{"s":{"minimumColumnWidth":70}}"#,
      section: #""kind":"grid","columns":2,"rowLength":10"#,
      [section(items(heights: [1]))])
    #expect(oracle.cellFrames == [PointFrame(0, 0, 75, 10)])
  }
}
