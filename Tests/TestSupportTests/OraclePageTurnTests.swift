import TestSupport
import Testing

@Suite struct OraclePageTurnTests {
  private let pages = #""kind":"grid","columns":1,"rowLength":100"#

  private func feed(top: String = "", section members: String? = nil) throws -> Oracle {
    let more = top.isEmpty ? "" : ",\(top)"
    return try Oracle(
      width: 200, height: 100, top: #""effect":{"kind":"pageTurn"}\#(more)"#,
      section: members ?? pages,
      [section("a", items(heights: [1, 1])), section("b", [item("b0", 1), item("b1", 1)])])
  }

  @Test func laterPagesWaitUnderTheCurrentOne() throws {
    let oracle = try feed()
    let visible = UnitRect(pointsX: 0, y: 130, width: 200, height: 100)
    let cells = oracle.elements(in: visible)
    #expect(cells.map(\.key) == ["i1", "b0", "b1"])
    #expect(cells.map { Units.points($0.y) } == [100, 130, 130])
    #expect(cells.map(\.zIndex) == [3, 2, 1])
    #expect(cells.allSatisfy { $0.transform3D == nil })
    let everything = UnitRect(pointsX: 0, y: 0, width: 200, height: 400)
    #expect(
      oracle.elements(in: everything, visible: visible).map { Units.points($0.y) }
        == [0, 100, 130, 130])
  }

  @Test(
    arguments: [
      (-30.0, [0, -30, -30, -30]), (0, [0, 0, 0, 0]), (99, [0, 99, 99, 99]),
      (100, [0, 100, 100, 100]), (350, [0, 100, 200, 300]), (1000, [0, 100, 200, 300]),
    ] as [(Double, [Double])])
  func currentPageIsTheLastThatHasStarted(start: Double, tops: [Double]) throws {
    let cells = try feed().elements(
      in: UnitRect(pointsX: 0, y: -500, width: 200, height: 5000),
      visible: UnitRect(pointsX: 0, y: start, width: 200, height: 100))
    #expect(cells.map { Units.points($0.y) } == tops)
  }

  @Test func nothingVisibleTurnsNoPage() throws {
    let rect = UnitRect(pointsX: 0, y: 0, width: 200, height: 400)
    let visible = UnitRect(pointsX: 0, y: 130, width: 200, height: 0)
    let oracle = try feed()
    #expect(oracle.elements(in: rect, visible: visible) == oracle.cells)
  }

  @Test func mirroredPagesStartAtTheRight() throws {
    let oracle = try Oracle(
      width: 200, height: 100,
      top: """
        "scrollDirection":"horizontal","layoutDirection":"rightToLeft",
        "effect":{"kind":"pageTurn"}
        """, section: #""kind":"grid","columns":1,"rowLength":200"#,
      [section(items(heights: [1, 1, 1]))])
    // 600 wide; a visible right edge at 370 is 230 from the start, in the second page.
    let visible = UnitRect(pointsX: 170, y: 0, width: 200, height: 100)
    #expect(
      oracle.elements(in: visible).map { PointFrame($0.frame) }
        == [PointFrame(200, 0, 200, 100), PointFrame(170, 0, 200, 100)])
  }

  @Test(arguments: [
    #""kind":"grid","columns":1,"rowLength":99"#, #""kind":"grid","columns":2,"rowLength":100"#,
    #""kind":"grid","columns":1,"rowLength":"square""#, #""kind":"waterfall","itemLength":100"#,
    #""kind":"circle","itemSize":{"width":9,"height":9}"#,
  ])
  func onlyPagesAreTurned(section: String) throws {
    #expect(throws: OracleRefusal(.conflictingMembers, "effect")) {
      try feed(section: section)
    }
    #expect(throws: OracleRefusal(.conflictingMembers, "effect")) {
      try feed(top: #""sections":{"absent":{\#(section)}}"#)
    }
  }

  @Test func squareRowsCanBePages() throws {
    let square = #""kind":"grid","inset":{"left":60,"right":40},"minimumColumnWidth":70"#
    #expect(try feed(section: square).contentSize.height == 400 * 64)
  }
}
