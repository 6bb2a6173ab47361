import LayoutGeometry
import SumTree
import Testing

@testable import LayoutCache

/// An item's visibility is kept in flags of its leaf.
@Suite struct HiddenItemTests {
  @Test func unknownFlagsAreDamage() throws {
    var leaf = ItemLeaf()
    leaf.append(Item(key: "a", size: Size(width: 1, height: 1), columnSpan: 1))
    let shown = leaf
    leaf.append(
      Item(key: "b", size: Size(width: 1, height: 1), columnSpan: 1, visibility: .collapsed))
    var writer = ByteWriter()
    leaf.encode(into: &writer)
    var bytes = writer.bytes
    #expect(bytes.suffix(2) == [0, 2])
    #expect(leaf.slice(0..<1) == shown, "a neighbour's flags do not matter")
    #expect(try ByteReader.read(bytes) { try ItemLeaf(from: &$0) } == leaf)
    for flags: UInt8 in [3, 4, 0x82] {
      bytes[bytes.count - 1] = flags
      #expect(throws: ByteError.self) { try ByteReader.read(bytes) { try ItemLeaf(from: &$0) } }
    }
  }
}
