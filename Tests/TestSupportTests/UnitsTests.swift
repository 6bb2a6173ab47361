import TestSupport
import Testing

@Suite struct UnitsTests {
  @Test(
    arguments: [
      (1, 64), (0.0078125, 1), (-0.0078125, 0), (-0.0234375, -1), (0.0078124, 0),
      (0.49999999999999994 / 64, 0), (1_000_000, 64_000_000),
    ] as [(Double, Int64)])
  func roundingRoundsHalvesUp(points: Double, units: Int64) {
    #expect(Units.rounding(points: points) == units)
  }

  @Test(
    arguments: [
      (1, 64), (0.015625, 1), (0.015624, 0), (-0.0078125, -1), (-0.015625, -1),
      (63.999999999999993 / 64, 63), (1_000_000, 64_000_000),
    ] as [(Double, Int64)])
  func flooringRoundsDown(points: Double, units: Int64) {
    #expect(Units.floor(points: points) == units)
  }
}
