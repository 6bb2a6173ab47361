import LayoutGeometry
import TestSupport
import Testing

@Suite struct LengthTests {
  static let roundings: [(Double, Int64)] = [
    (0, 0), (1, 64), (0x1p-7, 1), (-0x1p-7, 0), (0x3p-7, 2), (-0x3p-7, -1),
    (0x1p-7.nextDown, 0), (211.5, 13_536), (-10.25, -656),
  ]

  @Test(arguments: roundings)
  func pointsAreRoundedToTheNearestUnitHalvesUp(points: Double, units: Int64) throws {
    #expect(Length(points: points)?.units == units)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
  func valuesThatNoUnitCountsAreRefused(points: Double) {
    #expect(Length(points: points) == nil)
  }

  @Test(arguments: PropertyRun.seeds)
  func pointsOfALengthLeadBackToIt(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let units = Int64.random(in: -(1 << 53)...(1 << 53), using: &generator)
      #expect(Length(points: Length(units: units).points)?.units == units, "seed \(seed)")
    }
  }

  @Test func descriptionsAreWholeWhereTheLengthIs() {
    #expect(Length(units: 128).description == "2")
    #expect(Length(units: 96).description == "1.5")
  }
}
