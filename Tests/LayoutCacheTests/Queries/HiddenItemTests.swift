import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

/// Hidden items keep their places, collapsed ones have none.
@Suite struct HiddenItemTests {
  @Test func aChangeIsReportedAsAReload() throws {
    let feed = try TestFeed(
      [.mixed("s", count: 24)], configuration: KindExample.waterfall.configuration())
    try feed.read { _ in }
    let hide = BatchOperation.hide(keys: ["s-4", "s-2"], .collapsed)
    let commit = try feed.cache.update("feed", with: [hide])
    #expect(commit.updates.items.map(\.operation) == [.reload, .reload])
    #expect(commit.updates.items.map(\.key) == ["s-2", "s-4"])
    let context = try #require(commit.layouts["layout"]?.context)
    #expect(context.section(0)?.items == RangeSet(2..<24))
    #expect(!context.invalidateDataSourceCounts)
    #expect(try feed.cache.update("feed", with: [hide]).revision == commit.revision)
    #expect(throws: LayoutCacheError.self) {
      try feed.cache.update("feed", with: [.hide(keys: ["s-4", "none"], .shown)])
    }
  }

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
