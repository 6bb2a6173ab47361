import TestSupport
import Testing

/// Two sections of header 50, one item of 100 and footer 20: 0 to 170 to 340.
@Suite struct OraclePinningTests {
  private func oracle(_ pins: String) throws -> Oracle {
    try Oracle(
      width: 300,
      section: #""kind":"grid","columns":1,"rowLength":100,"header":50,"footer":20,\#(pins)"#,
      [section("a", items(heights: [1])), section("b", items(heights: [1]))])
  }

  /// Tops of the headers or footers in an answer, in points.
  private func tops(
    _ kind: String, _ oracle: Oracle, from start: Double, to end: Double, visible: UnitRect? = nil
  ) -> [Double] {
    let rect = UnitRect(pointsX: 0, y: start, width: 300, height: end - start)
    return oracle.elements(in: rect, visible: visible).filter { $0.kind == kind }
      .map { Units.points($0.y) }
  }

  @Test func headerStaysAtTheTopUntilItsSectionEnds() throws {
    let oracle = try oracle(#""pinsHeader":true"#)
    #expect(tops("header", oracle, from: -40, to: 100) == [0])
    #expect(tops("header", oracle, from: 0, to: 100) == [0])
    #expect(tops("header", oracle, from: 30, to: 130) == [30])
    #expect(tops("header", oracle, from: 100, to: 170) == [100])
    // Pushed: it ends where the footer starts.
    #expect(tops("header", oracle, from: 120, to: 200) == [100, 170])
    // At 100 to 150 it only touches the rectangle.
    #expect(tops("header", oracle, from: 150, to: 200) == [170])
    #expect(tops("header", oracle, from: 155, to: 165) == [])
    // The last section has nothing after it and still keeps its header.
    #expect(tops("header", oracle, from: 330, to: 500) == [])
    #expect(tops("header", oracle, from: 300, to: 500) == [270])
  }

  @Test func footerStaysAtTheBottomUntilItsSectionStarts() throws {
    let oracle = try oracle(#""pinsFooter":true"#)
    #expect(tops("footer", oracle, from: 0, to: 100) == [80])
    #expect(tops("footer", oracle, from: 0, to: 160) == [140])
    #expect(tops("footer", oracle, from: 0, to: 200) == [150])
    // Below its header at least; at 50 to 70 it touches a rectangle that ends at 50.
    #expect(tops("footer", oracle, from: 0, to: 60) == [50])
    #expect(tops("footer", oracle, from: 0, to: 50) == [])
    #expect(tops("footer", oracle, from: 160, to: 230) == [150, 220])
  }

  @Test func unpinnedHeadersAndFootersStayInPlace() throws {
    let oracle = try oracle(#""pinsHeader":false"#)
    #expect(tops("header", oracle, from: 30, to: 130) == [0])
    #expect(tops("footer", oracle, from: 0, to: 100) == [])
  }

  @Test func visibleRectMayDifferFromTheQueriedOne() throws {
    let oracle = try oracle(#""pinsHeader":true"#)
    let visible = UnitRect(pointsX: 0, y: 90, width: 300, height: 100)
    // The header has left the queried rectangle, or has come into it.
    #expect(tops("header", oracle, from: 0, to: 50, visible: visible) == [])
    #expect(tops("header", oracle, from: 100, to: 120, visible: visible) == [90])
  }

  @Test func sectionShorterThanTheScrollKeepsItsHeader() throws {
    let oracle = try Oracle(
      width: 300,
      section: #""kind":"grid","columns":1,"rowLength":100,"header":50,"pinsHeader":true"#,
      [section("empty", []), section("also empty", [])])
    #expect(tops("header", oracle, from: 30, to: 200) == [0, 50])
  }

  @Test func pinnedElementsAreAboveCellsEverywhere() throws {
    let top = 2_147_483_647
    let oracle = try oracle(#""pinsHeader":true"#)
    let elements = oracle.elements(in: UnitRect(pointsX: 0, y: 60, width: 300, height: 300))
    #expect(elements.map(\.kind) == ["header", nil, "footer", "header", nil, "footer"])
    #expect(elements.map(\.zIndex) == [top, 0, 0, top, 0, 0])
    #expect(oracle.supplementary(kind: "header", section: 0)?.zIndex == top)
    #expect(oracle.supplementary(kind: "footer", section: 0)?.zIndex == 0)
    #expect(try self.oracle(#""pinsFooter":true"#).allElements().map(\.zIndex).max() == top)
    // The header has come down to 60, over the cell.
    let visible = UnitRect(pointsX: 0, y: 60, width: 300, height: 300)
    let point = UnitPoint(x: 0, y: 70 * 64)
    #expect(oracle.element(at: point, visible: visible)?.kind == "header")
    #expect(oracle.element(at: point)?.item == 0)
  }

  @Test func otherQueriesLeaveHeadersUnpinned() throws {
    let oracle = try oracle(#""pinsHeader":true"#)
    #expect(oracle.supplementary(kind: "header", section: 0)?.y == 0)
    #expect(oracle.element(at: UnitPoint(x: 0, y: 10 * 64))?.kind == "header")
  }
}
