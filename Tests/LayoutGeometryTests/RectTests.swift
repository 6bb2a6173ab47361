import LayoutGeometry
import Testing

@Suite struct RectTests {
  private func rect(_ x: Int64, _ y: Int64, _ width: Int64, _ height: Int64) -> Rect {
    Rect(
      x: Length(units: x), y: Length(units: y), width: Length(units: width),
      height: Length(units: height))
  }

  @Test func touchingRectanglesDoNotIntersect() {
    let first = rect(0, 0, 100, 100)
    #expect(!first.intersects(rect(0, 100, 100, 100)))
    #expect(!first.intersects(rect(100, 0, 100, 100)))
    #expect(first.intersects(rect(99, 99, 1, 1)))
  }

  @Test func anEmptyRectangleIntersectsNothing() {
    #expect(!rect(10, 10, 0, 5).intersects(rect(0, 0, 100, 100)))
    #expect(!rect(0, 0, 100, 100).intersects(rect(10, 10, 5, 0)))
    #expect(!rect(10, 10, -5, 5).intersects(rect(0, 0, 100, 100)))
  }

  @Test func intersectingEqualsSharingAUnit() {
    // Every pair of rectangles on a 4 × 4 grid, against its units one by one.
    var rects: [Rect] = []
    for x in Int64(0)..<4 {
      for y in Int64(0)..<4 {
        for width in 0...(4 - x) {
          for height in 0...(4 - y) { rects.append(rect(x, y, width, height)) }
        }
      }
    }
    func units(_ rect: Rect) -> Set<[Int64]> {
      var units: Set<[Int64]> = []
      for x in rect.minX.units..<rect.maxX.units {
        for y in rect.minY.units..<rect.maxY.units { units.insert([x, y]) }
      }
      return units
    }
    let sets = rects.map(units)
    for first in rects.indices {
      for second in rects.indices {
        #expect(
          rects[first].intersects(rects[second]) == !sets[first].isDisjoint(with: sets[second]))
      }
    }
  }

  @Test func insetsThatUseUpASideLeaveItEmpty() {
    let insets = EdgeInsets(
      top: Length(units: 3), left: Length(units: 60), bottom: .zero, right: Length(units: 60))
    #expect(rect(0, 0, 100, 10).inset(by: insets) == rect(60, 3, 0, 7))
  }

  @Test func transposingTwiceChangesNothing() {
    let original = rect(1, 2, 3, 4)
    #expect(original.transposed == rect(2, 1, 4, 3))
    #expect(original.transposed.transposed == original)
  }
}
