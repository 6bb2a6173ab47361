import LayoutGeometry
import TestSupport
import Testing

@Suite struct TransformTests {
  private func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) throws -> Rect {
    func length(_ points: Double) throws -> Length { try #require(Length(points: points)) }
    return Rect(
      x: try length(x), y: try length(y), width: try length(width), height: try length(height))
  }

  private func expect(
    _ point: (x: Double, y: Double), isNear x: Double, _ y: Double,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(abs(point.x - x) < 1e-4, "\(point)", sourceLocation: sourceLocation)
    #expect(abs(point.y - y) < 1e-4, "\(point)", sourceLocation: sourceLocation)
  }

  private func seen(_ transform: Transform, _ x: Double, _ y: Double) -> (x: Double, y: Double) {
    Transform3D(affine: transform).projecting(x: x, y: y)
  }

  // MARK: - Matrices

  @Test func aRotationTurnsTheXAxisTowardTheYAxis() {
    expect(seen(Transform(rotationBy: .pi / 2), 1, 0), isNear: 0, 1)
    expect(seen(Transform(rotationBy: .pi / 6), 2, 0), isNear: 1.732051, 1)
  }

  @Test func aRotationAboutZEqualsThePlaneRotation() {
    let turn = Transform3D(rotationBy: 0.7, aboutX: 0, y: 0, z: 5)
    #expect(turn.affine == Transform(rotationBy: 0.7))
  }

  @Test func aThirdOfATurnAboutTheDiagonalExchangesTheAxes() {
    let turn = Transform3D(rotationBy: 2 * .pi / 3, aboutX: 1, y: 1, z: 1)
    for (member, expected) in [
      (turn.m11, 0.0), (turn.m12, 1), (turn.m13, 0), (turn.m21, 0), (turn.m22, 0), (turn.m23, 1),
      (turn.m31, 1), (turn.m32, 0), (turn.m33, 0),
    ] {
      #expect(abs(member - expected) < 1e-12, "\(turn)")
    }
  }

  @Test func anAxisOfNoLengthTurnsNothing() {
    #expect(Transform3D(rotationBy: 1, aboutX: 0, y: 0, z: 0).isIdentity)
  }

  @Test func onlyTheIdentityIsTheIdentity() {
    #expect(Transform.identity.isIdentity && Transform3D.identity.isIdentity)
    #expect(Transform(scale: 1) == .identity)
    #expect(Transform3D(affine: .identity).isIdentity)
    #expect(!Transform(translationX: 0, y: 1).isIdentity)
    var perspective = Transform3D.identity
    perspective.m34 = -1.0 / 500
    #expect(!perspective.isIdentity)
  }

  @Test func transformsWithinThePlaneWithoutPerspectiveAreAffine() {
    let plain = Transform(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6)
    #expect(Transform3D(affine: plain).affine == plain)
    let paths: [WritableKeyPath<Transform3D, Double>] = [
      \.m13, \.m14, \.m23, \.m24, \.m31, \.m32, \.m33, \.m34, \.m43, \.m44,
    ]
    for path in paths {
      var transform = Transform3D(affine: plain)
      transform[keyPath: path] += 0.5
      #expect(transform.affine == nil)
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func liftingIntoSpaceKeepsProducts(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func number() -> Double { Double(Int.random(in: -8...8, using: &random)) }
    func transform() -> Transform {
      Transform(a: number(), b: number(), c: number(), d: number(), tx: number(), ty: number())
    }
    for _ in PropertyRun.each(seed, steps: 100) {
      // Small whole numbers: products are exact, so equality is.
      let (first, second, third) = (transform(), transform(), transform())
      let both = first.concatenating(second)
      #expect(
        Transform3D(affine: first).concatenating(Transform3D(affine: second))
          == Transform3D(affine: both))
      #expect(both.concatenating(third) == first.concatenating(second.concatenating(third)))
      #expect(first.concatenating(.identity) == first)
      #expect(Transform.identity.concatenating(first) == first)
      let step = seen(first, 3, -2)
      #expect(seen(both, 3, -2) == seen(second, step.x, step.y))
    }
  }

  // MARK: - Projections

  @Test func pointsNearerToTheEyeAppearLarger() {
    var perspective = Transform3D.identity
    perspective.m34 = -1.0 / 500
    let aboutX = Transform3D(rotationBy: .pi / 6, aboutX: 1, y: 0, z: 0)
      .concatenating(perspective)
    // y = 100 is mapped to y = 86.6025 and z = 50, where w is 0.9.
    expect(aboutX.projecting(x: 18, y: 100), isNear: 20, 96.22504)
    let aboutY = Transform3D(rotationBy: .pi / 6, aboutX: 0, y: 1, z: 0)
      .concatenating(perspective)
    // x = 100 is mapped to x = 86.6025 and z = -50, where w is 1.1.
    expect(aboutY.projecting(x: 100, y: 22), isNear: 78.72958, 20)
  }

  @Test func aPointBehindTheEyeIsProjectedAsJustInFrontOfIt() {
    var transform = Transform3D.identity
    transform.m24 = -1
    expect(transform.projecting(x: 1, y: 0.5), isNear: 2, 1)
    expect(transform.projecting(x: 1, y: 1), isNear: 100, 100)
    expect(transform.projecting(x: 1, y: 3), isNear: 100, 300)
  }

  @Test func aBoundingBoxIsCentredOnTheRectangle() throws {
    let place = try rect(10, 20, 100, 40)
    func box(_ transform: Transform) -> Rect {
      Transform3D(affine: transform).boundingBox(of: place)
    }
    #expect(box(.identity) == place)
    #expect(try box(Transform(scale: 1.5)) == rect(-15, 10, 150, 60))
    #expect(try box(Transform(rotationBy: .pi / 2)) == rect(40, -10, 40, 100))
    #expect(box(Transform(scaleX: -1, y: 1)) == place)
    #expect(try box(Transform(translationX: 0.5, y: -7)) == rect(10.5, 13, 100, 40))
    #expect(try box(Transform(scale: 0)) == rect(60, 40, 0, 0))
  }

  @Test func edgesAreRoundedHalfUp() {
    let unit = Rect(
      x: .zero, y: Length(units: -3), width: Length(units: 1), height: Length(units: 1))
    // The centre is at 1/2 and -5/2, the edges at -1/2 and 3/2, -7/2 and -3/2.
    #expect(
      Transform3D(scaleX: 2, y: 2, z: 1).boundingBox(of: unit)
        == Rect(
          x: .zero, y: Length(units: -3), width: Length(units: 2), height: Length(units: 2)))
  }

  @Test func noTransformTraps() throws {
    let place = try rect(1, 2, 3, 4)
    for number in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
      for path in [\Transform3D.m11, \.m24, \.m41, \.m44] {
        var transform = Transform3D.identity
        transform[keyPath: path] = number
        let box = transform.boundingBox(of: place)
        for edge in [box.minX, box.maxX, box.minY, box.maxY] {
          #expect(edge.units.magnitude <= 1 << 53)
        }
      }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func aBoxIsTightAroundTheTransformedRectangle(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 100) {
      let place = Rect(
        x: Length(units: .random(in: -9999...9999, using: &random)),
        y: Length(units: .random(in: -9999...9999, using: &random)),
        width: Length(units: .random(in: 1...9999, using: &random)),
        height: Length(units: .random(in: 1...9999, using: &random)))
      var transform = Transform3D(
        rotationBy: .random(in: -4...4, using: &random), aboutX: 1,
        y: .random(in: -1...1, using: &random), z: .random(in: -1...1, using: &random))
      var perspective = Transform3D.identity
      perspective.m34 = -1.0 / 500
      transform = transform.concatenating(perspective)
      let box = transform.boundingBox(of: place)
      // Straight lines stay straight: no inner point is seen outside of the corners.
      let (halfWidth, halfHeight) = (
        Double(place.size.width.units) / 128, Double(place.size.height.units) / 128
      )
      let centerX = place.minX.points + halfWidth
      let centerY = place.minY.points + halfHeight
      var reaches = [false, false, false, false]
      for column in -4...4 {
        for row in -4...4 {
          let point = transform.projecting(
            x: halfWidth * Double(column) / 4, y: halfHeight * Double(row) / 4)
          let (x, y) = (point.x + centerX, point.y + centerY)
          let slack = 0.6 / 64
          #expect(x >= box.minX.points - slack && x <= box.maxX.points + slack)
          #expect(y >= box.minY.points - slack && y <= box.maxY.points + slack)
          if abs(x - box.minX.points) <= slack { reaches[0] = true }
          if abs(x - box.maxX.points) <= slack { reaches[1] = true }
          if abs(y - box.minY.points) <= slack { reaches[2] = true }
          if abs(y - box.maxY.points) <= slack { reaches[3] = true }
        }
      }
      #expect(reaches == [true, true, true, true], "\(place) under \(transform)")
    }
  }
}
