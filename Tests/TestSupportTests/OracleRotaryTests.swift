import Foundation
import TestSupport
import Testing

@Suite struct OracleRotaryTests {
  /// Cells of 100 points along an axis and 200 across, the container 400 long.
  private func feed(
    _ direction: String, _ more: String = "", layout: String = "leftToRight"
  ) throws -> Oracle {
    let isVertical = direction == "vertical"
    return try Oracle(
      width: isVertical ? 200 : 400, height: isVertical ? 400 : 200,
      top: """
        "scrollDirection":"\(direction)","layoutDirection":"\(layout)",
        "effect":{"kind":"rotary"\(more)}
        """, section: #""kind":"grid","columns":1,"rowLength":100"#,
      [section(items(heights: Array(repeating: 1, count: 12)))])
  }

  private func expect(
    _ found: [Double]?, _ expected: [Double], _ comment: Comment? = nil
  ) throws {
    let found = try #require(found)
    #expect(found.count == 16)
    #expect(
      zip(found, expected).allSatisfy { abs($0 - $1) < 1e-12 }, "\(found) \(comment ?? "")")
  }

  @Test func middleFacesTheViewer() throws {
    // The third cell's middle, 250, is the visible one.
    let visible = UnitRect(pointsX: 0, y: 50, width: 200, height: 400)
    let cell = try #require(try feed("vertical").elements(in: visible).first { $0.item == 2 })
    try expect(cell.transform3D, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.002, 0, 0, 0, 1])
    #expect(PointFrame(cell.frame) == PointFrame(0, 200, 200, 100))
    #expect(cell.zIndex == 1000)
  }

  @Test func cellsBelowTurnTheirFarEdgeAway() throws {
    // d is (350 - 250) / 200 = 1/2, the angle -30 degrees about the x axis.
    let visible = UnitRect(pointsX: 0, y: 50, width: 200, height: 400)
    let cell = try #require(try feed("vertical").elements(in: visible).first { $0.item == 3 })
    let cosine = sqrt(3) / 2
    try expect(
      cell.transform3D,
      [1, 0, 0, 0, 0, cosine, -0.5, 0.001, 0, 0.5, cosine, -0.002 * cosine, 0, 0, 0, 1])
    #expect(cell.zIndex == 500)
    // Corners at 50 points from the middle have depths of 0.95 and 1.05: the upper edge
    // is 200 / 0.95 wide and 43.3 / 0.95 above 350, the lower one 43.3 / 1.05 below.
    #expect(
      cell.frame
        == edges(
          left: 100 - 100 / 0.95, top: 350 - 50 * cosine / 0.95, right: 100 + 100 / 0.95,
          bottom: 350 + 50 * cosine / 1.05))
  }

  /// Points, each rounded by itself.
  private func edges(left: Double, top: Double, right: Double, bottom: Double) -> UnitRect {
    let (x, y) = (Units.rounding(points: left), Units.rounding(points: top))
    return UnitRect(
      x: x, y: y, width: Units.rounding(points: right) - x,
      height: Units.rounding(points: bottom) - y)
  }

  @Test(arguments: ["leftToRight", "rightToLeft"])
  func cellsAtTheRightTurnAboutTheYAxis(layout: String) throws {
    // In content coordinates, mirrored or not: the middle is 650, the cell's 750.
    let visible = UnitRect(pointsX: 450, y: 0, width: 400, height: 200)
    let oracle = try feed("horizontal", layout: layout)
    let item = layout == "leftToRight" ? 7 : 4
    let cell = try #require(oracle.elements(in: visible).first { $0.item == item })
    let cosine = sqrt(3) / 2
    try expect(
      cell.transform3D,
      [cosine, 0, 0.5, -0.001, 0, 1, 0, 0, -0.5, 0, cosine, -0.002 * cosine, 0, 0, 0, 1])
    #expect(cell.zIndex == 500)
    // The right edge is the nearer one by its depth of 0.95.
    #expect(
      cell.frame
        == edges(
          left: 750 - 50 * cosine / 1.05, top: 100 - 100 / 0.95,
          right: 750 + 50 * cosine / 0.95, bottom: 100 + 100 / 0.95))
  }

  @Test func angleAndOrderAreClamped() throws {
    let visible = UnitRect(pointsX: 0, y: 500, width: 200, height: 200)
    let rect = UnitRect(pointsX: -5000, y: 0, width: 10_000, height: 1200)
    let cells = try feed("vertical", #","maximumAngle":90e-1"#).elements(
      in: rect, visible: visible)
    // d is (item * 100 + 50 - 600) / 100.
    #expect(cells.map(\.zIndex) == [0, 0, 0, 0, 0, 500, 500, 0, 0, 0, 0, 0])
    let angles = cells.map { atan2($0.transform3D![6], $0.transform3D![5]) * 180 / .pi }
    let expected: [Double] = [9, 9, 9, 9, 9, 4.5, -4.5, -9, -9, -9, -9, -9]
    #expect(zip(angles, expected).allSatisfy { abs($0 - $1) < 1e-9 }, "\(angles)")
  }

  @Test func orderIsRoundedHalfUp() throws {
    // d = (50 + 100 item - 250) / 160000: 0.625, 0 and 0.625 thousandths, then 1.25 and 1.875.
    let visible = UnitRect(pointsX: 0, y: -159_750, width: 200, height: 320_000)
    let cells = try feed("vertical").elements(in: visible)
    #expect(cells.map(\.zIndex).prefix(5) == [999, 999, 1000, 999, 999])
    // A half of a thousandth: d = 100 / 200000.
    let half = UnitRect(pointsX: 0, y: -199_750, width: 200, height: 400_000)
    #expect(
      try feed("vertical").elements(in: half).map(\.zIndex).prefix(4) == [999, 999, 1000, 999])
  }

  @Test func cellsAreSearchedUpToOneVisibleLengthAway() throws {
    // The second cell starts at 2000; its upper edge is beyond the eye and would be
    // drawn far above.
    let oracle = try Oracle(
      width: 100, top: #""effect":{"kind":"rotary","maximumAngle":45}"#,
      section: #""kind":"grid","columns":1,"rowLength":2000"#, [section(items(heights: [1, 1]))])
    func found(visibleLength: Double) -> [Int?] {
      oracle.elements(
        in: UnitRect(pointsX: 0, y: 0, width: 100, height: 100),
        visible: UnitRect(pointsX: 0, y: 0, width: 100, height: visibleLength)
      ).map(\.item)
    }
    #expect(found(visibleLength: 1900) == [0])
    #expect(found(visibleLength: 1901) == [0, 1])
  }

  @Test func cornersBehindTheEyeStayFinite() throws {
    // 2000 points long at 89 degrees: the corners are 1000 points towards the eye.
    let oracle = try Oracle(
      width: 100, height: 100,
      top: #""effect":{"kind":"rotary","maximumAngle":89}"#,
      section: #""kind":"grid","columns":1,"rowLength":2000"#, [section(items(heights: [1]))])
    let cell = try #require(
      oracle.elements(in: UnitRect(pointsX: 0, y: 0, width: 100, height: 100)).first)
    // The depth of 0.01 makes 100 times of the half width of 50.
    #expect(Units.points(cell.x) == -4950 && Units.points(cell.frame.maxX) == 5050)
    #expect(cell.zIndex == 0)
  }
}
