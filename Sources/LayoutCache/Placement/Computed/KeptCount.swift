import LayoutGeometry
import SumTree

/// The stored form of a section whose item positions follow from the item count and the index.
struct KeptCount: StoredSection {
  static let tag: UInt8 = 2

  var itemCount: Int

  init(_ itemCount: Int) { self.itemCount = itemCount }

  var elementCount: Int { 0 }

  var treeDepth: Int { 0 }

  func shaped(_ shapes: TreeShapes) -> KeptCount { self }

  var byteCount: Int { 0 }

  func store(into sink: any NodeSink) {}

  func copied(
    into sink: any NodeSink, _ shapes: TreeShapes, in session: TreeSession
  ) -> KeptCount { self }

  func unloaded() -> KeptCount { self }

  func drop(_ edits: inout TreeEdits) {}

  func checkInvariants(_ shapes: TreeShapes, in session: TreeSession) {}

  // count  varint, at least 1

  func encode(into writer: inout ByteWriter) { writer.writeCount(itemCount) }

  init(from reader: inout ByteReader) throws(ByteError) {
    itemCount = try reader.readCount(limit: Limits.itemsMax)
    guard itemCount > 0 else { throw reader.malformed("section count") }
  }
}
