import LayoutGeometry
import TestSupport
import Testing

/// The JSON and the short descriptions of geometry.
@Suite struct GeometryCodingTests {
  private func again<T: Codable>(_ value: T) throws -> T { try decode(json(value)) }

  private let rect = Rect(x: 8, y: -52.015625, width: 183, height: 244.5)

  @Test func membersArePoints() throws {
    #expect(try json(rect) == #"{"height":244.5,"width":183,"x":8,"y":-52.015625}"#)
    #expect(try json(rect.origin) == #"{"x":8,"y":-52.015625}"#)
    #expect(try json(rect.size) == #"{"height":244.5,"width":183}"#)
    #expect(
      try json(EdgeInsets(top: 1, left: 2, bottom: 3, right: 4))
        == #"{"bottom":3,"left":2,"right":4,"top":1}"#)
  }

  @Test func transformsAreArraysOfTheirMatrix() throws {
    let transform = Transform(a: 1, b: 2, c: 3, d: 4.5, tx: -0.0, ty: 6)
    #expect(try json(transform) == "[1,2,3,4.5,0,6]")
    #expect(try json(Transform3D(affine: transform)) == "[1,2,0,0,3,4.5,0,0,0,0,1,0,0,6,0,1]")
    var perspective = Transform3D.identity
    perspective.m34 = -0.002
    #expect(try json(perspective) == "[1,0,0,0,0,1,0,0,0,0,1,-0.002,0,0,0,1]")
  }

  @Test(arguments: ["[1,0,0,1,0]", "[1,0,0,1,0,0,0]", "[]", "{}", #"[1,0,0,1,0,"0"]"#])
  func anArrayOfAnotherLengthIsNotATransform(text: String) {
    #expect(throws: DecodingError.self) { try decode(text) as Transform }
    #expect(throws: DecodingError.self) { try decode(text) as Transform3D }
  }

  @Test(arguments: [
    #"{"x":1,"y":2,"width":3}"#, #"{"x":1,"y":2,"width":3,"height":null}"#,
    #"{"x":1,"y":2,"width":3,"height":1e300}"#,
  ])
  func aRectangleHasFourLengths(text: String) {
    #expect(throws: DecodingError.self) { try decode(text) as Rect }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func encodedValuesAreDecodedUnchanged(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func length() -> Length {
      // Edges of rectangles, the sums, have to stay within 2^53.
      let bits = Int.random(in: 0...52, using: &random)
      return Length(units: .random(in: -(1 << bits)...(1 << bits), using: &random))
    }
    func number() -> Double { .random(in: -1000...1000, using: &random) }
    for _ in PropertyRun.each(seed, steps: 100) {
      let rect = Rect(x: length(), y: length(), width: length(), height: length())
      #expect(try again(rect) == rect)
      let insets = EdgeInsets(top: length(), left: length(), bottom: length(), right: length())
      #expect(try again(insets) == insets)
      let transform = Transform(
        a: number(), b: number(), c: number(), d: number(), tx: number(), ty: number())
      #expect(try again(transform) == transform)
      let turn = Transform3D(rotationBy: number(), aboutX: number(), y: number(), z: number())
      let transform3D = Transform3D(affine: transform).concatenating(turn)
      #expect(try again(transform3D) == transform3D)
    }
  }

  @Test func descriptionsAreShort() {
    #expect(rect.description == "(x 8, y -52.015625, 183 x 244.5)")
    #expect(rect.origin.description == "(8, -52.015625)")
    #expect(rect.size.description == "183 x 244.5")
    let insets = EdgeInsets(top: 8, left: 16, bottom: 8, right: 16)
    #expect(insets.description == "(top 8, left 16, bottom 8, right 16)")
    #expect(Transform.identity.description == "identity")
    #expect(Transform3D.identity.description == "identity")
    let scale = Transform(scale: 1.5)
    #expect(scale.description == "[1.5, 0.0, 0.0, 1.5, 0.0, 0.0]")
    #expect(Transform3D(affine: scale).description == scale.description)
    #expect(
      Transform3D(translationX: 0, y: 0, z: 2).description
        == "[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 1.0]")
  }
}
