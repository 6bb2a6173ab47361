import CollectionLayout
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random batches on a dataset, and the updates composed from the log over one
// revision or several, replayed on lists of keys as a client does it.
//
// Invariants: the lists become those of the dataset, items of sections that came asked for
// anew; every item that stayed and has another size or span is named as one to reload; what
// is named is there, once; what stayed where it was is not named as moved.

@Suite struct UpdateComposerTests {
  @Test(arguments: PropertyRun.seeds)
  func replayingUpdatesGivesTheNewLists(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<PropertyRun.steps(4) {
      var source = RandomFeed(itemCountMax: round % 2 == 0 ? 300 : 30)
      let sections = source.sections(using: &generator)
      let text = KindExample.waterfall.configuration()
      var feed = try OracleFeed(configuration: text, sections: sections)
      var batches = RandomBatch(source: source)
      let test = try TestFeed(sections, configuration: text)
      var seen = feed.sections
      var first = try #require(try test.cache.datasets().first).revision
      for step in 0..<PropertyRun.steps(12) {
        let batch = batches.next(for: feed, using: &generator)
        try feed.apply(batch)
        try test.cache.update("feed", with: batch.map { try BatchOperation($0) })
        guard generator.oneIn(3) else { continue }
        let (updates, last) = try Self.updates(since: first, in: test.cache)
        let origin = "seed \(seed), round \(round), step \(step): \(updates)"
        Self.expect(updates, lead: seen, to: feed.sections, origin)
        seen = feed.sections
        first = last
      }
    }
  }

  private static func updates(
    since revision: Int, in cache: LayoutCache
  ) throws -> (DatasetUpdates, Int) {
    try cache.store.read { reader in
      let row = try #require(try reader.dataset(named: "feed"))
      let head = try reader.logHead(of: row.id)
      var composer = UpdateComposer()
      try reader.forEachLogRow(after: revision, upTo: head) { row in
        for operation in try LoggedBatch(row, path: cache.path).operations {
          composer.append(operation)
        }
      }
      return (composer.finish(), head.revision)
    }
  }

  private static func expect(
    _ updates: DatasetUpdates, lead old: [OracleSection], to new: [OracleSection],
    _ origin: String
  ) {
    let comment = Comment(rawValue: origin)
    #expect(!updates.everything, comment)
    let replayed = replay(updates, on: old, origin: new)
    #expect(replayed.map(\.key) == new.map(\.key), comment)
    #expect(replayed.map(\.items) == new.map { $0.items.map(\.key) }, comment)
    // Keys are compared byte for byte.
    var places: [ExactKey: OracleItem] = [:]
    for section in old {
      for item in section.items { places[ExactKey(item.key)] = item }
    }
    let reloaded = Set(
      updates.items.filter { $0.operation == .reload }.map { ExactKey($0.key) })
    for section in new {
      for item in section.items {
        guard let before = places[ExactKey(item.key)] else { continue }
        let isSame =
          before.width == item.width && before.height == item.height && before.span == item.span
        if !isSame { #expect(reloaded.contains(ExactKey(item.key)), comment) }
      }
    }
    for kind in [DatasetUpdates.Operation.insert, .delete, .move, .reload] {
      let keys = updates.items.filter { $0.operation == kind }.map { ExactKey($0.key) }
      #expect(Set(keys).count == keys.count, comment)
    }
  }

  private struct List {
    var key: String
    var items: [String]
  }

  /// What a client makes of updates, in UIKit's order.
  private static func replay(
    _ updates: DatasetUpdates, on old: [OracleSection], origin new: [OracleSection]
  ) -> [List] {
    var lists = old.map { List(key: $0.key, items: $0.items.map(\.key)) }
    let gone = updates.items.compactMap { item in item.before.map { (item.key, $0) } }
      .sorted { ($0.1.section, $0.1.item ?? 0) > ($1.1.section, $1.1.item ?? 0) }
    for (key, place) in gone {
      let removed = lists[place.section].items.remove(at: place.item ?? 0)
      #expect(removed == key)
    }
    var taken: [ExactKey: List] = [:]
    for section in updates.sections.sorted(by: { $0.before ?? -1 > $1.before ?? -1 }) {
      guard let before = section.before else { continue }
      let list = lists.remove(at: before)
      #expect(list.key == section.key)
      if section.after != nil { taken[ExactKey(section.key)] = list }
    }
    var met: Set<Int> = []
    for section in updates.sections {
      guard let after = section.after else { continue }
      if let list = taken[ExactKey(section.key)], section.before != nil {
        lists.insert(list, at: after)
      } else {
        met.insert(after)
        lists.insert(List(key: section.key, items: new[after].items.map(\.key)), at: after)
      }
    }
    for item in updates.items where item.operation == .insert || item.operation == .move {
      guard let after = item.after, !met.contains(after.section) else { continue }
      lists[after.section].items.insert(item.key, at: after.item ?? 0)
    }
    return lists
  }
}
