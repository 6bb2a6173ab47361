import LayoutGeometry
import TestSupport
import Testing

@Suite struct LengthTests {
  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
  func valuesBeyondTheRangeOfUnitsAreRejected(points: Double) {
    #expect(Length(points: points) == nil)
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func lengthsRoundTripThroughPoints(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let units = Int64.random(in: -(1 << 53)...(1 << 53), using: &generator)
      #expect(Length(points: Length(units: units).points)?.units == units)
    }
  }

  static let flooredPoints: [(Double, Int64)] = [
    (0, 0), (1, 64), (0x1p-6, 1), (0x1p-6.nextDown, 0), (-0x1p-6, -1), (-0x1p-7, -1),
    (-0.0, 0), (211.5, 13_536), (0.1, 6), (-0.1, -7), (0x1p47, 1 << 53), (-0x1p47, -(1 << 53)),
  ]

  @Test(arguments: flooredPoints)
  func pointsAreRoundedDown(points: Double, units: Int64) {
    #expect(Length(points: points)?.units == units)
    #expect(Length.points(points).units == units)
    #expect(Length(floatLiteral: points).units == units)
  }

  @Test func literalsArePoints() {
    let whole: Length = 8
    let halves: Length = -8.5
    let third: Length = 0.34
    #expect(whole.units == 512 && halves.units == -544 && third.units == 21)
    #expect(
      Rect(x: 8, y: 52.5, width: 183, height: 1)
        == Rect(
          origin: Point(x: Length(units: 512), y: Length(units: 3360)),
          size: Size(width: Length(units: 11_712), height: Length(units: 64))))
    #expect(whole > 7.9 && whole == 8)
  }

  @Test func pointsBeyondTheRangeOfALengthTrap() async {
    await #expect(processExitsWith: .failure) { _ = Length.points(.nan) }
    await #expect(processExitsWith: .failure) { _ = Length.points(.infinity) }
    await #expect(processExitsWith: .failure) { _ = Length.points(0x1p47.nextUp) }
    await #expect(processExitsWith: .failure) { _ = -0x1p48 as Length }
    await #expect(processExitsWith: .failure) { _ = 9_000_000_000_000_000_000 as Length }
    await #expect(processExitsWith: .success) { _ = 140_737_488_355_328 as Length }
  }

  @Test func wholeLengthsAreDescribedWithoutAFraction() {
    #expect(Length(units: 128).description == "2")
    #expect(Length(units: 96).description == "1.5")
  }
}
