import TestSupport
import Testing

@Suite struct OracleElementComparisonTests {
  private let plain = OracleElement(
    category: .cell, key: "a", section: 0, sectionKey: "s", item: 0,
    frame: UnitRect(x: 10, y: 10, width: 100, height: 100))

  private func scaled(by scale: Double, item: Int = 0) -> OracleElement {
    var element = plain
    element.item = item
    element.transform3D = [scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    return element
  }

  private func areEqual(_ one: OracleElement, _ other: OracleElement) -> Bool {
    let forth = one.isEqual(to: other, transformTolerance: 1e-9)
    #expect(other.isEqual(to: one, transformTolerance: 1e-9) == forth)
    return forth
  }

  @Test func transformsMayDifferByTheTolerance() {
    #expect(areEqual(scaled(by: 2), scaled(by: 2)))
    #expect(areEqual(scaled(by: 2), scaled(by: 2 + 9e-10)))
    #expect(!areEqual(scaled(by: 2), scaled(by: 2 + 2e-9)))
    #expect(!areEqual(scaled(by: 2), plain))
    #expect(areEqual(scaled(by: 1 + 1e-12), plain))
  }

  @Test func edgesOfTransformedFramesMayDifferByAUnit() {
    var other = scaled(by: 2)
    other.frame = UnitRect(x: 9, y: 11, width: 102, height: 98)
    #expect(areEqual(scaled(by: 2), other))
    other.frame = UnitRect(x: 9, y: 11, width: 103, height: 98)
    #expect(!areEqual(scaled(by: 2), other))
  }

  @Test func nothingElseMayDiffer() {
    var other = plain
    other.x += 1
    #expect(!areEqual(plain, other))
    for change: (inout OracleElement) -> Void in [
      { $0.zIndex = 1 }, { $0.alpha = 0.5 }, { $0.isHidden = true }, { $0.key = "b" },
      { $0.column = 0 },
    ] {
      var other = scaled(by: 2)
      change(&other)
      #expect(!areEqual(scaled(by: 2), other))
    }
  }

  @Test func answersMayDifferWhereARectangleEndsInATransformedEdge() {
    let all = [scaled(by: 2), scaled(by: 2, item: 1)]
    func areEqual(_ other: [OracleElement], y: Int64) -> Bool {
      let rect = UnitRect(x: 0, y: y, width: 200, height: 200)
      let forth = all.isEqual(to: other, in: rect, transformTolerance: 1e-9)
      #expect(other.isEqual(to: all, in: rect, transformTolerance: 1e-9) == forth)
      return forth
    }
    // The frames end at 110.
    #expect(areEqual(all, y: 0))
    #expect(areEqual([all[1]], y: 109) && areEqual([], y: 109))
    #expect(!areEqual([all[1]], y: 108) && !areEqual([], y: 108))
    #expect(!areEqual([all[1], all[0]], y: 109))
    #expect(![plain].isEqual(to: [], in: plain.frame, transformTolerance: 1e-9))
  }
}
