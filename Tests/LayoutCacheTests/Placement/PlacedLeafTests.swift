import CollectionLayout
import LayoutGeometry
import SumTree
import Testing

@testable import LayoutCache

/// Bytes of the leaves of lines and custom sections that are rejected with an error. Whole files with
/// damaged leaves are in `HostileFileTests`, and leaves that are accepted in worlds.
@Suite struct PlacedLeafTests {
  @Test func numbersBeyondTheirLimitsAreRejected() {
    func refuses<Leaf: TreeLeaf>(_: Leaf.Type, _ numbers: [UInt64]) -> Bool {
      var writer = ByteWriter()
      for number in numbers { writer.writeVarint(number) }
      return (try? ByteReader.read(writer.bytes) { try Leaf(from: &$0) }) == nil
    }
    #expect(!refuses(LineLeaf.self, [1, 2, 640]))
    #expect(refuses(LineLeaf.self, [1, 0, 640]), "a line has an item")
    #expect(refuses(LineLeaf.self, [1, 2, 0]), "a line has a length")
    #expect(refuses(LineLeaf.self, [2, 1 << 40, 1, 640, 640]), "no dataset has as many items")
    #expect(refuses(LineLeaf.self, [2, 1, 1, 1 << 51, 1]), "no content is as long")
    let reach = UInt64(Limits.customReachMax.units)
    let side = UInt64(Limits.sideMax.units)
    #expect(!refuses(CustomLeaf.self, [1, 2 * reach, 2 * reach - 1, side, side, reach, 0]))
    #expect(refuses(CustomLeaf.self, [1, 2 * reach + 2, 0, 0, 0, 0, 0]), "x")
    #expect(refuses(CustomLeaf.self, [1, 0, 2 * reach + 1, 0, 0, 0, 0]), "y")
    #expect(refuses(CustomLeaf.self, [1, 0, 0, side + 1, 0, 0, 0]), "width")
    #expect(refuses(CustomLeaf.self, [1, 0, 0, 0, side + 1, 0, 0]), "height")
    #expect(refuses(CustomLeaf.self, [1, 0, 0, 0, 0, reach + 1, 0]), "advance")
    #expect(
      refuses(CustomLeaf.self, [1, 0, 0, 0, 0, 0, 65] + [UInt64](repeating: 0, count: 65)),
      "state")
    // After 0, leaves that specify how items are shown.
    #expect(!refuses(CustomLeaf.self, [0, 1, 0, 0, 0, 0, 0, 0, 1]))
    #expect(refuses(CustomLeaf.self, [0, 0]), "no items")
    #expect(refuses(CustomLeaf.self, [0, 1, 0, 0, 0, 0, 0, 0, 0]), "all as most are")
    #expect(refuses(CustomLeaf.self, [0, 1, 0, 0, 0, 0, 0, 0, 16]), "look")
    #expect(
      refuses(
        CustomLeaf.self, [0, 1, 0, 0, 0, 0, 0, 0, 2, 2 * UInt64(Limits.customZIndexMax + 1)]),
      "z-index")
    #expect(
      refuses(CustomLeaf.self, [0, 1, 0, 0, 0, 0, 0, 0, 4, (1.5).bitPattern.byteSwapped]), "alpha")
    func refusesExtras(
      _ transform: Transform3D = .identity, _ values: String = "", number: UInt64 = 0
    ) -> Bool {
      refuses(
        CustomLeaf.self,
        [0, 1, 0, 0, 64, 64, 0, 0, 8, number] + transform.members.map(\.bitPattern.byteSwapped)
          + [UInt64(values.utf8.count)] + values.utf8.map { UInt64($0) })
    }
    func scale(_ x: Double) -> Transform3D { Transform3D(scaleX: x, y: 1, z: 1) }
    #expect(!refusesExtras(scale(2.5)) && !refusesExtras(.identity, #"{"a":1}"#))
    #expect(refusesExtras(scale(2.5), number: 1), "the first extras have number 0")
    #expect(refusesExtras(), "neither a transform nor values")
    #expect(refusesExtras(scale(.nan)) && refusesExtras(scale(2e9)), "members")
    #expect(refusesExtras(Transform3D(translationX: 1e8, y: 0, z: 0)), "reach")
    #expect(refusesExtras(.identity, "[]") && refusesExtras(.identity, #"{"a":"#), "no object")
    let many = (0..<17).map { #""\#($0)":0"# }.joined(separator: ",")
    #expect(refusesExtras(.identity, "{\(many)}"), "too many values")
  }

  /// Leaves have the bytes of files from before items had display attributes.
  @Test func leavesOfPlainItemsHaveTheOldFormat() throws {
    var leaf = CustomLeaf()
    leaf.append(
      ItemPlacement(frame: Rect(x: 1, y: -2, width: 3, height: 4), advance: 5), state: [-7])
    let bytes = Self.bytes(of: leaf)
    var writer = ByteWriter()
    for number: UInt64 in [1, 128, 255, 192, 256, 320, 1, 13] { writer.writeVarint(number) }
    #expect(bytes == writer.bytes)
  }

  private static func bytes(of leaf: CustomLeaf) -> [UInt8] {
    var writer = ByteWriter()
    leaf.encode(into: &writer)
    return writer.bytes
  }
}
