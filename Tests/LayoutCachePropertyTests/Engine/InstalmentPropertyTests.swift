import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: sections of a stable waterfall that batches make uneven, with rules by which a batch
// places only a few items again. So most rebalances continue for many batches, during which items
// are inserted, deleted and changed before, at and after the rebalance's position. One cache
// commits, with an active or a lagging layout; a second cache on the same file reads sometimes and
// catches up with many batches; a third one is opened for each read.
//
// Invariants: every element equals the oracle's, to the unit, in all three; verify is clean; the
// overdue sections equal the oracle's; after finishing there are none.

@Suite struct InstalmentPropertyTests {
  private func text(using generator: inout SeededGenerator) -> String {
    let ties = generator.oneIn(2) ? "leading" : "cursor"
    let members =
      #""kind":"waterfall","columns":\#(Int.random(in: 2...4, using: &generator)),"itemLength":"natural","#
      + #""maximumSkew":\#(Int.random(in: 0...30, using: &generator)),"ties":"\#(ties)","#
      + #""tolerance":\#(generator.oneIn(3) ? 30 : 0),"#
      + #""lineSpacing":\#(Int.random(in: 0...3, using: &generator))"#
    return #"{"container":{"width":400},"section":{\#(members)},"#
      + #""sections":{"exact":{"assignment":"exact"},"grid":{"kind":"grid"}}}"#
  }

  private func sections(using generator: inout SeededGenerator) -> [OracleSection] {
    ["a", "exact", "b", "grid", "c"].map { key in
      OracleSection(
        key: key,
        items: (0..<Int.random(in: 0...50, using: &generator)).map {
          OracleItem(
            key: "\(key)-\($0)", width: 10,
            height: Double(Int.random(in: 1...20, using: &generator)),
            span: generator.oneIn(15) ? 2 : 1)
        })
    }
  }

  /// Makes some items of one column longer.
  private func skewing(
    _ feed: OracleFeed, using generator: inout SeededGenerator
  ) -> [OracleOperation] {
    guard let section = feed.sections.randomElement(using: &generator),
      let column = section.items.randomElement(using: &generator)?.storedColumn
    else { return [] }
    let start = Int.random(in: section.items.indices, using: &generator)
    let longer: [OracleOperation] = section.items[start...]
      .filter { $0.storedColumn == column }.prefix(6).map {
        .resize(
          key: $0.key, width: 10, height: Double(Int.random(in: 1...60, using: &generator)),
          span: $0.span)
      }
    return generator.oneIn(4) ? longer + [.rebalance(section: section.key)] : longer
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func rebalancesContinueEquallyInEveryCache(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var overdueCount = 0
    for _ in PropertyRun.each(seed, rounds: 2) {
      let sections = sections(using: &generator)
      let text = text(using: &generator)
      var feed = try OracleFeed(configuration: text, sections: sections)
      // With a small instalment, rebalances take many batches; with a large one, a batch corrects
      // several positions.
      feed.instalment = .random(in: generator.oneIn(2) ? 1...3 : 4...60, using: &generator)
      feed.placedAgainMax = .random(in: 1...15, using: &generator)
      var options = LayoutCacheOptions.randomShapes(using: &generator)
      options.treeShapes.rebalancing = RebalanceRules(feed)
      let test = try TestFeed(sections, configuration: text, options: options)
      let follower = try LayoutCache(path: test.path, options: options)
      var batches = RandomBatch(source: RandomFeed(itemCountMax: 40))
      _ = try OracleElement.all(of: test.cache)
      for _ in PropertyRun.each(seed, steps: 50) {
        let origin: Comment = "\(text)"
        if generator.oneIn(20) {
          try finish(&feed, test.cache)
        } else {
          var batch = skewing(feed, using: &generator)
          if batch.isEmpty || generator.oneIn(3) {
            batch = batches.next(for: feed, using: &generator)
          }
          try feed.apply(batch)
          if batch.isEverything { try feed.layOutFromScratch() }
          let layouts = [UpdatedLayouts.inUse, .inUse, .none].randomElement(using: &generator)!
          try test.cache.update(
            "feed", with: batch.map { try BatchOperation($0) }, preparing: layouts)
          // The overdue sections of a layout are unknown until it is laid out from scratch.
          if batch.isEverything { try test.cache.prepare(LayoutID("layout", of: "feed")) }
        }
        if try feed.firstOverdueSection() != nil { overdueCount += 1 }
        if generator.oneIn(12) { try test.cache.checkpoint() }
        let expected = OracleElement.all(of: feed.oracle)
        if generator.oneIn(2) {
          try #require(try OracleElement.all(of: test.cache) == expected, origin)
        }
        if generator.oneIn(7) {
          try #require(
            try OracleElement.all(of: follower) == expected, "\(origin): the follower")
        }
        if generator.oneIn(7) {
          let reopened = try LayoutCache(path: test.path, options: options)
          try #require(
            try OracleElement.all(of: reopened) == expected, "\(origin): the reopened")
          let report = try reopened.verify()
          try #require(report.problems.isEmpty, "\(origin)\n\(report.problems)")
          try reopened.close()
        }
      }
    }
    // Corrections at the edits even out most sections before their ends are overdue.
    #expect(overdueCount > 5)
  }

  private func finish(_ feed: inout OracleFeed, _ cache: LayoutCache) throws {
    let layout = LayoutID("layout", of: "feed")
    try cache.prepare(layout)
    let revision = try cache.prepare(layout).revision
    var carried = 0
    while try feed.firstOverdueSection() != nil {
      try feed.apply([.continueRebalance])
      carried += 1
    }
    let commit = try cache.finishRebalancing("feed")
    #expect(commit.revision == revision + carried)
  }
}
