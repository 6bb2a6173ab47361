import TestSupport
import Testing

@Suite struct OracleQueryTests {
  private func fourCells(_ more: String = "") throws -> Oracle {
    try Oracle(
      width: 200, section: #""kind":"grid","columns":2,"rowLength":100\#(more)"#,
      [section(items(heights: [1, 1, 1, 1]))])
  }

  private func keys(_ elements: [OracleElement]) -> [String?] { elements.map(\.key) }

  @Test func touchingEdgesDoNotIntersect() throws {
    let oracle = try fourCells()
    let below = UnitRect(pointsX: 0, y: 100, width: 100, height: 100)
    #expect(keys(oracle.elements(in: below)) == ["i2"])
    let across = UnitRect(x: 99 * 64 + 63, y: 99 * 64 + 63, width: 2, height: 2)
    #expect(keys(oracle.elements(in: across)) == ["i0", "i1", "i2", "i3"])
    let before = UnitRect(pointsX: -100, y: 0, width: 100, height: 100)
    #expect(oracle.elements(in: before).isEmpty)
  }

  @Test(arguments: [(0, 5), (5, 0), (0, 0), (-5, 5)] as [(Int64, Int64)])
  func emptyRectIntersectsNothing(width: Int64, height: Int64) throws {
    let rect = UnitRect(x: 50 * 64, y: 50 * 64, width: width, height: height)
    #expect(try fourCells().elements(in: rect).isEmpty)
  }

  @Test func tallItemIsFoundFromInside() throws {
    let oracle = try Oracle(
      width: 200, section: #""kind":"waterfall","columns":2,"itemLength":"natural""#,
      [section(items(heights: [1000, 10, 10, 10]))])
    let rect = UnitRect(pointsX: 0, y: 500, width: 200, height: 10)
    #expect(keys(oracle.elements(in: rect)) == ["i0"])
  }

  @Test func pointOnAnEdgeBelongsToTheElementThatStartsThere() throws {
    let oracle = try fourCells()
    #expect(oracle.element(at: UnitPoint(x: 0, y: 0))?.key == "i0")
    #expect(oracle.element(at: UnitPoint(x: 100 * 64, y: 0))?.key == "i1")
    #expect(oracle.element(at: UnitPoint(x: 100 * 64 - 1, y: 100 * 64))?.key == "i2")
    #expect(oracle.element(at: UnitPoint(x: 200 * 64, y: 0)) == nil)
    #expect(oracle.element(at: UnitPoint(x: -1, y: 0)) == nil)
  }

  @Test(arguments: [(-1, "i0"), (0, "i0"), (1, nil)] as [(Int, String?)])
  func topmostIsByZIndexThenLast(zIndex: Int, key: String?) throws {
    let oracle = try fourCells(#","background":{"kind":"card","zIndex":\#(zIndex)}"#)
    let element = oracle.element(at: UnitPoint(x: 5, y: 5))
    #expect(element?.key == key)
    #expect(element?.kind == (key == nil ? "card" : nil))
  }

  @Test func keysAreToldApartByTheirBytes() throws {
    let oracle = try Oracle(
      width: 200, section: #""kind":"grid","columns":2,"rowLength":100"#,
      [
        section([
          OracleItem(key: "\u{E9}", width: 1, height: 1),
          OracleItem(key: "e\u{301}", width: 1, height: 1),
        ])
      ])
    #expect(oracle.element(key: "\u{E9}")?.item == 0)
    #expect(oracle.element(key: "e\u{301}")?.item == 1)
    #expect(oracle.element(key: "e") == nil)
  }

  @Test func cellOfASpanNamesItsFirstColumn() throws {
    let oracle = try Oracle(
      width: 300, section: #""kind":"waterfall","columns":3,"itemLength":10"#,
      [section(items(heights: [1, 1], spans: [1, 2]))])
    #expect(oracle.element(key: "i1")?.column == 1)
  }
}
