import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// The updates composed from the log; worlds replay others on a client's lists.
@Suite struct UpdateComposerTests {
  @Test func movesAreDistinguishedFromDeletionsAndInsertions() throws {
    let test = try TestFeed([OracleSection("s", sizes: [(4, 3), (4, 3), (4, 3)])])
    let (first, last) = (
      LayoutAttributes.IndexPath(section: 0, item: 0),
      LayoutAttributes.IndexPath(section: 0, item: 2)
    )
    let item = try Item(key: "s-0", width: 4, height: 3)
    let there = try test.cache.update("feed", with: [.move(key: "s-0", to: .end(section: "s"))])
    #expect(
      there.updates.items == [.init(operation: .move, key: "s-0", before: first, after: last)])
    let back = try test.cache.update(
      "feed", with: [.delete(keys: ["s-0"]), .insert([item], at: .index(0, section: "s"))])
    #expect(
      back.updates.items == [
        .init(operation: .move, key: "s-0", before: last, after: first),
        .init(operation: .reload, key: "s-0", before: nil, after: first),
      ])
    // At the same position, another item with the key is only a reload.
    let replacement = try test.cache.update(
      "feed", with: [.delete(keys: ["s-0"]), .insert([item], at: .index(0, section: "s"))])
    #expect(
      replacement.updates.items
        == [.init(operation: .reload, key: "s-0", before: nil, after: first)])
    let nothing = try test.cache.update(
      "feed",
      with: [
        .insert([try Item(key: "new", width: 4, height: 3)], at: .end(section: "s")),
        .delete(keys: ["new"]),
      ])
    #expect(nothing.revision == replacement.revision + 1)
    #expect(nothing.updates.isEmpty)
  }

  @Test func aChangeOfDataIsAReloadAlsoWithAMove() throws {
    let data = try ItemData(json: #"{"n":1}"#)
    let test = try TestFeed([OracleSection("s", sizes: [(1, 1), (1, 1), (1, 1), (1, 1)])])
    let changed = try test.cache.update("feed", with: [.data(key: "s-2", data)])
    #expect(
      changed.updates.items == [
        .init(operation: .reload, key: "s-2", before: nil, after: .init(section: 0, item: 2))
      ])
    let moved = try test.cache.update("feed", with: [.move(key: "s-2", to: .before("s-0"))])
    let first = LayoutAttributes.IndexPath(section: 0, item: 0)
    let move = DatasetUpdates.Item(
      operation: .move, key: "s-2", before: .init(section: 0, item: 2), after: first)
    #expect(moved.updates.items == [move])
    let since = try test.cache.changes(of: "feed", since: changed.revision - 1).updates
    #expect(
      since.items == [move, .init(operation: .reload, key: "s-2", before: nil, after: first)])
  }
}
