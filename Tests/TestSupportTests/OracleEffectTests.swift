import Foundation
import TestSupport
import Testing

/// Every expectation is computed by hand.
@Suite struct OracleEffectTests {
  /// Cells 100 points long in a container of 200 by 400, one below the other.
  private func feed(
    _ effect: String, count: Int = 8, top: String = "", width: Double = 200,
    height: Double = 400
  ) throws -> Oracle {
    let more = top.isEmpty ? "" : ",\(top)"
    return try Oracle(
      width: width, height: height, top: #""effect":{\#(effect)}\#(more)"#,
      section: #""kind":"grid","columns":1,"rowLength":100,"header":100"#,
      [section(items(heights: Array(repeating: 1, count: count)))])
  }

  private func scales(_ elements: [OracleElement]) -> [Double] {
    elements.filter { $0.category == .cell }.map { $0.transform3D?[0] ?? 1 }
  }

  private let screen = UnitRect(pointsX: 0, y: 100, width: 200, height: 400)

  @Test func scaleGrowsTowardsTheMiddle() throws {
    let oracle = try feed(#""kind":"scale","maximumScale":1.5"#)
    // The visible middle is 300, cells' middles 150, 250, 350 and 450: |d| 3/4 and 1/4.
    let elements = oracle.elements(in: screen)
    #expect(scales(elements) == [1.125, 1.375, 1.375, 1.125])
    #expect(
      elements.map { PointFrame($0.frame) } == [
        PointFrame(-12.5, 93.75, 225, 112.5), PointFrame(-37.5, 181.25, 275, 137.5),
        PointFrame(-37.5, 281.25, 275, 137.5), PointFrame(-12.5, 393.75, 225, 112.5),
      ])
    #expect(
      elements[0].transform3D == [
        1.125, 0, 0, 0, 0, 1.125, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
      ])
    #expect(elements.allSatisfy { $0.zIndex == 0 && $0.alpha == 1 && !$0.isHidden })
  }

  @Test func scaleIgnoresCellsThatAreNotVisible() throws {
    let oracle = try feed(#""kind":"scale","maximumScale":1.5"#)
    let everything = UnitRect(pointsX: -1000, y: -1000, width: 9000, height: 9000)
    let elements = oracle.elements(in: everything, visible: screen)
    #expect(scales(elements) == [1.125, 1.375, 1.375, 1.125, 1, 1, 1, 1])
    #expect(elements[0].category == .supplementary && elements[0].transform3D == nil)
    let outside = UnitRect(pointsX: 200, y: 100, width: 200, height: 400)
    #expect(scales(oracle.elements(in: everything, visible: outside)).allSatisfy { $0 == 1 })
  }

  @Test func scaleIsOneForCellsCentredOnTheEdge() throws {
    let oracle = try feed(#""kind":"scale""#)
    // Middles 150, 250 and 350; d is -1, 0 and 1.
    let visible = UnitRect(pointsX: 0, y: 150, width: 200, height: 200)
    let elements = oracle.elements(in: visible)
    #expect(elements.map { $0.transform3D == nil } == [true, false, true])
    #expect(abs(scales(elements)[1] - 1.3) < 1e-12)
  }

  @Test func scaleIsNeverNegative() throws {
    // The last point of a cell: d = (150 - 199.5) / 0.5 = -99 of a visible point.
    let oracle = try feed(#""kind":"scale","maximumScale":1.5"#)
    let visible = UnitRect(pointsX: 0, y: 199, width: 200, height: 1)
    let everything = UnitRect(pointsX: -1000, y: -1000, width: 9000, height: 9000)
    // It has no area left to be found.
    #expect(
      oracle.elements(in: everything, visible: visible).compactMap(\.key)
        == (1..<8).map { "i\($0)" })
  }

  @Test func coverStackHoldsEarlierCellsAtTheVisibleStart() throws {
    let oracle = try feed(#""kind":"coverStack""#)
    // Starts are 100, 200, 300 …; at 250 the first two wait there, the second by half. The later
    // ones cover the first.
    let visible = UnitRect(pointsX: 0, y: 250, width: 200, height: 100)
    let elements = oracle.elements(in: visible)
    #expect(elements.map(\.key) == ["i1", "i2"])
    #expect(elements.map(\.zIndex) == [1, 2])
    #expect(zip(scales(elements), [0.975, 1]).allSatisfy { abs($0 - $1) < 1e-12 })
    #expect(
      elements.map { PointFrame($0.frame) } == [
        PointFrame(2.5, 251.25, 195, 97.5), PointFrame(0, 300, 200, 100),
      ])
    #expect(elements.last?.transform3D == nil)
  }

  @Test func coverStackOrdersEveryCell() throws {
    let oracle = try feed(#""kind":"coverStack""#, count: 3)
    let elements = oracle.elements(in: screen, visible: UnitRect(x: 0, y: 0, width: 1, height: 1))
    #expect(elements.map(\.zIndex) == [0, 1, 2])
    #expect(elements.allSatisfy { $0.transform3D == nil })
  }

  @Test(arguments: ["scale", "coverStack", "rotary"])
  func emptyVisibleRectangleHasNoEffect(kind: String) throws {
    let oracle = try feed(#""kind":"\#(kind)""#)
    let visible = UnitRect(pointsX: 0, y: 250, width: 200, height: 0)
    #expect(oracle.elements(in: screen, visible: visible) == oracle.cells.dropLast(4))
  }

  @Test(arguments: ["scale", "coverStack", "rotary"])
  func effectsApplyOnlyToVisibleCells(kind: String) throws {
    let oracle = try feed(#""kind":"\#(kind)""#)
    let plain = try Oracle(
      width: 200, height: 400, section: #""kind":"grid","columns":1,"rowLength":100,"header":100"#,
      [section(items(heights: Array(repeating: 1, count: 8)))])
    #expect(oracle.allElements() == plain.allElements())
    #expect(oracle.element(key: "i1") == plain.element(key: "i1"))
    let point = UnitPoint(x: 0, y: 150 * 64)
    #expect(oracle.element(at: point) == plain.element(at: point))
    let visible = UnitRect(pointsX: 0, y: 120, width: 200, height: 400)
    #expect(oracle.element(at: point, visible: visible) != plain.element(at: point))
    #expect(oracle.contentSize == plain.contentSize)
    #expect(oracle.elements(in: screen) != plain.elements(in: screen))
  }

  @Test func pinnedHeadersAreNotTransformed() throws {
    let oracle = try Oracle(
      width: 200, top: #""effect":{"kind":"coverStack"}"#,
      section: #""kind":"grid","columns":1,"rowLength":100,"header":10,"pinsHeader":true"#,
      [section(items(heights: [1, 1, 1]))])
    let header = oracle.elements(in: UnitRect(pointsX: 0, y: 120, width: 200, height: 50))[0]
    #expect(PointFrame(header.frame) == PointFrame(0, 120, 200, 10))
    #expect(header.zIndex == 2_147_483_647 && header.transform3D == nil)
  }

  @Test func edgesAreRoundedHalfUp() throws {
    // 3 units by 1 at twice their size, about (1.5, 0.5): -1.5 … 4.5 and -0.5 … 1.5.
    let oracle = try Oracle(
      width: 1, top: #""effect":{"kind":"scale","maximumScale":2}"#,
      section: #""kind":"flow""#,
      [section([OracleItem(key: "a", width: 3 / 64.0, height: 1 / 64.0)])])
    let visible = UnitRect(x: 0, y: 0, width: 64, height: 1)
    let element = try #require(oracle.elements(in: visible).first)
    #expect(element.frame == UnitRect(x: -1, y: 0, width: 6, height: 2))
  }
}
