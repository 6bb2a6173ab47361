import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random batches on a dataset, and the updates composed from the log over one
// revision or several, replayed on lists of keys as a client does it.
//
// Invariants: the lists equal those of the dataset, with items of inserted sections requested
// again; every remaining item with another size or span is listed as a reload; listed elements
// exist, and are listed once; items that did not move are not listed as moved.

@Suite struct UpdateComposerTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func replayingUpdatesGivesTheNewLists(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for round in PropertyRun.each(seed, rounds: 4) {
      var source = RandomFeed(itemCountMax: round % 2 == 0 ? 300 : 30)
      let sections = source.sections(using: &generator)
      let text = KindExample.waterfall.configuration()
      var feed = try OracleFeed(configuration: text, sections: sections)
      var batches = RandomBatch(source: source)
      let test = try TestFeed(sections, configuration: text)
      var seen = feed.sections
      var first = try #require(try test.cache.datasets().first).revision
      for _ in PropertyRun.each(seed, steps: 12) {
        let batch = batches.next(for: feed, using: &generator)
        let before = feed.sections
        try feed.apply(batch)
        let commit = try test.cache.update("feed", with: batch.map { try BatchOperation($0) })
        commit.updates.expectToLead(
          from: before, to: feed.sections,
          "commit: \(commit.updates)")
        guard generator.oneIn(3) else { continue }
        let (updates, last) = try Self.updates(since: first, in: test.cache)
        let origin = "\(updates)"
        updates.expectToLead(from: seen, to: feed.sections, origin)
        seen = feed.sections
        first = last
      }
    }
  }

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

  /// A deletion and an insertion of the same key may have changed the item.
  @Test func anItemThatGoesAndComesIsReloadedToo() throws {
    var item = ItemLeaf()
    item.append(try Item(key: "a", width: 4, height: 3))
    let section = SectionReference(index: 0, key: "s")
    let updates = try LoggedBatch(operations: [
      .delete(4..<5, of: section, removed: ItemRun(item)),
      .insert(ItemRun(item), at: 1, of: section),
    ]).updates()
    #expect(updates.items.map(\.operation) == [.move, .reload])
  }

  @Test func updatesThatDoNotFitTheListsAreDamage() throws {
    var item = ItemLeaf()
    item.append(try Item(key: "a", width: 4, height: 3))
    let section = SectionReference(index: 0, key: "new")
    let misplaced: [ResolvedOperation] = [
      .insert(ItemRun(item), at: 1, of: section),
      .delete(0..<1, of: section, removed: ItemRun(item)),
      .change(item, to: item, at: 0, of: section),
      .sections(
        SectionSplice(
          before: .init(index: 0, entry: .init(key: "new", itemCount: 1)), items: ItemRun(item))),
      .changeData(
        of: item, from: nil, to: ItemDataRun(itemCount: 1), at: 0, of: section),
    ]
    for operation in misplaced {
      #expect(throws: Damage.self, "\(operation)") {
        try LoggedBatch(operations: [.insertSection(section, style: nil), operation]).updates()
      }
    }
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

  private static func updates(
    since revision: Int, in cache: LayoutCache
  ) throws -> (DatasetUpdates, Int) {
    try cache.store.read { reader in
      let row = try #require(try reader.dataset(named: "feed"))
      let head = try reader.logHead(of: row.id)
      return (try reader.updates(since: revision, upTo: head, operationsMax: .max), head.revision)
    }
  }
}
