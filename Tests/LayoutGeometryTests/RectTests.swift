import Foundation
import LayoutGeometry
import Testing

@Suite struct RectTests {
  private func rect(_ x: Int64, _ y: Int64, _ width: Int64, _ height: Int64) -> Rect {
    Rect(
      x: Length(units: x), y: Length(units: y), width: Length(units: width),
      height: Length(units: height))
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

  struct PointsCase: Sendable {
    /// x and width in points.
    var points: (x: Double, width: Double)
    /// x and width in units.
    var units: (x: Int64, width: Int64)
  }

  static let pointsCases: [PointsCase] = [
    PointsCase(points: (8, 183), units: (512, 11_712)),
    // 0.64 and 1.28 units: from 0 to 1.
    PointsCase(points: (0.01, 0.01), units: (0, 1)),
    // 0.064 and 0.128 units: both edges are 0.
    PointsCase(points: (0.001, 0.001), units: (0, 0)),
    // -0.64 and 0.64 units.
    PointsCase(points: (-0.01, 0.02), units: (-1, 1)),
    // 33.28 and 66.56 units: the width alone would be 33.28.
    PointsCase(points: (0.52, 0.52), units: (33, 33)),
    // 33.92 and 67.84: 33 and 67, the width alone would be 33.
    PointsCase(points: (0.53, 0.53), units: (33, 34)),
    PointsCase(points: (10, -0.01), units: (640, -1)),
  ]

  @Test(arguments: pointsCases)
  func eachEdgeInPointsIsRoundedDown(edges: PointsCase) throws {
    let (x, width) = edges.points
    let across = Rect(pointsX: x, y: 0, width: width, height: 1)
    #expect(across == rect(edges.units.x, 0, edges.units.width, 64))
    #expect(Rect(pointsX: 0, y: x, width: 1, height: width) == across?.transposed)
    #expect(Point(pointsX: x, y: 1) == Point(x: Length(units: edges.units.x), y: 1))
    #expect(Point(pointsX: 1, y: x) == Point(x: 1, y: Length(units: edges.units.x)))
    let text = #"{"x":\#(x),"y":0,"width":\#(width),"height":1}"#
    #expect(try JSONDecoder().decode(Rect.self, from: Data(text.utf8)) == across)
  }

  @Test func edgesBeyondTheRangeOfALengthGiveNoRectangle() {
    #expect(Rect(pointsX: 0x1p47, y: 0, width: 1, height: 1) == nil)
    #expect(Rect(pointsX: 0, y: .nan, width: 1, height: 1) == nil)
    #expect(Rect(pointsX: 0, y: 0, width: 1, height: .infinity) == nil)
  }

  @Test func pointsBeyondTheRangeOfALengthGiveNoPointOrSize() {
    #expect(
      Size(pointsWidth: 0.02, height: 0.99)
        == Size(width: .init(units: 1), height: .init(units: 63)))
    for number in [0x1p48, -0x1p48, .nan, .infinity, -.infinity] {
      #expect(Point(pointsX: number, y: 0) == nil && Point(pointsX: 0, y: number) == nil)
      #expect(Size(pointsWidth: number, height: 0) == nil)
      #expect(Size(pointsWidth: 0, height: number) == nil)
    }
    #expect(Point(pointsX: 0x1p47, y: -0x1p47)?.y == Length(units: -1 << 53))
  }
}
