import CollectionLayout
import LayoutGeometry
import TestSupport
import Testing

@Suite struct LayoutAttributesTests {
  private func rect(_ x: Int64, _ y: Int64, _ width: Int64, _ height: Int64) -> Rect {
    Rect(
      x: Length(units: x), y: Length(units: y), width: Length(units: width),
      height: Length(units: height))
  }

  private func cell(_ frame: Rect) -> LayoutAttributes {
    LayoutAttributes(
      category: .cell(key: "k"), indexPath: IndexPath(section: 1, item: 2), sectionKey: "s",
      frame: frame)
  }

  private func point(_ x: Int64, _ y: Int64) -> Point {
    Point(x: Length(units: x), y: Length(units: y))
  }

  @Test func newAttributesHaveDefaultValues() {
    let element = cell(rect(1, 2, 3, 4))
    #expect(element.transform == .identity && element.transform3D == .identity)
    #expect(element.alpha == 1 && !element.isHidden && element.zIndex == 0)
    #expect(element.frame == element.untransformedFrame)
    #expect(element.bounds == rect(0, 0, 3, 4))
  }

  @Test func aCentreBetweenTwoUnitsIsRoundedDown() {
    #expect(cell(rect(10, -10, 3, 5)).center == point(11, -8))
  }

  @Test func aPlaneTransformSetsTheTransformInSpace() {
    var element = cell(rect(0, 0, 1, 1))
    let transform = Transform(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6)
    element.transform = transform
    #expect(element.transform == transform)
    #expect(element.transform3D == Transform3D(affine: transform))
    element.transform3D.m34 = -0.002
    #expect(element.transform == .identity)
    #expect(element.transform3D.m12 == 2)
  }

  @Test(arguments: [(0.25, 0.25), (-1, 0), (2, 1), (.infinity, 1), (-.infinity, 0), (.nan, 1)])
  func opacityIsClampedToItsRange(set: Double, read: Double) {
    var element = cell(rect(0, 0, 1, 1))
    element.alpha = set
    #expect(element.alpha == read)
  }

  @Test func elementsAreEqualByValue() {
    var first = cell(rect(0, 0, 10, 10))
    var second = first
    first.isHidden = true
    #expect(first != second)
    second.isHidden = true
    #expect(first == second && first.hashValue == second.hashValue)
    second.transform = Transform(scale: 2)
    #expect(first != second && first.transform == .identity, "copies do not share what is set")
    second.transform = .identity
    second.isHidden = false
    // With its defaults restored, an element equals a new one.
    #expect(second == cell(rect(0, 0, 10, 10)))
    #expect(second.hashValue == cell(rect(0, 0, 10, 10)).hashValue)
  }

  @Test func anElementIsSmallToCopy() {
    #expect(MemoryLayout<LayoutAttributes>.stride <= 144)
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func measuresAgreeWithEachOther(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func number(_ least: Int64 = -500) -> Int64 { .random(in: least...500, using: &random) }
    var element = cell(rect(0, 0, 7, 8))
    for _ in PropertyRun.each(seed, steps: 300) {
      let before = element
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        let center = point(number(), number())
        element.center = center
        #expect(element.center == center && element.size == before.size)
      case 1:
        let size = rect(0, 0, number(0), number(0)).size
        element.size = size
        #expect(element.center == before.center && element.size == size)
      case 2:
        element.bounds = rect(number(), number(), number(0), number(0))
        #expect(element.center == before.center)
      case 3:
        let frame = rect(number(), number(), number(0), number(0))
        element.frame = frame
        if element.transform3D.isIdentity {
          #expect(element.frame == frame)
        } else {
          #expect(element.center == cell(frame).center)
          #expect(element.size == before.size)
        }
      case 4:
        element.transform = Transform(scale: Double(number(0)) / 100)
        #expect(element.untransformedFrame == before.untransformedFrame)
      default:
        element.transform = .identity
        #expect(element.frame == before.untransformedFrame)
      }
      #expect(element.bounds == Rect(origin: .zero, size: element.size))
      #expect(element.frame == element.transform3D.boundingBox(of: element.untransformedFrame))
      var same = element
      same.center = element.center
      same.size = element.size
      same.bounds = element.bounds
      #expect(same == element)
    }
  }
}
