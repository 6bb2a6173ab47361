import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: a random feed and configuration, and random batches of every kind, applied by the
// engine through a file and by the oracle in arrays. Between batches the cache is closed and
// reopened, abandoned as by a killed process, opened with very little memory for nodes, lags and
// catches up, or is followed by a second cache on the same file. Half of the trees have nodes of
// four elements, and so are deep.
//
// Invariants: after every batch each element equals the oracle's, to the unit and in order, and so
// does the revision; elements that a context does not name have not changed; rejected batches
// change nothing; the state in memory satisfies its invariants; verify is clean.

@Suite struct UpdatePropertyTests {
  @Test(.property, arguments: PropertyRun.seeds, TestKinds.mixes)
  func everyBatchEqualsTheOracles(seed: UInt64, kinds: RandomConfiguration.Kinds) throws {
    var generator = SeededGenerator(seed: seed)
    for round in PropertyRun.each(seed, rounds: 3) {
      var source = RandomFeed(itemCountMax: round % 3 == 0 ? 400 : 40)
      let sections = source.sections(using: &generator)
      let text = RandomConfiguration(kinds: kinds).text(
        sectionKeys: sections.map(\.key), using: &generator)
      var feed = try OracleFeed(configuration: text, sections: sections)
      var batches = RandomBatch(source: source)
      var options = LayoutCacheOptions.randomShapes(using: &generator)
      if generator.oneIn(2) {
        feed.instalment = .random(in: 1...20, using: &generator)
        feed.placedAgainMax = .random(in: 1...100, using: &generator)
        options.treeShapes.rebalancing = RebalanceRules(feed)
      }
      func open(_ options: LayoutCacheOptions) throws -> LayoutCache {
        try LayoutCache(path: test.path, options: options, sectionLayouts: TestKinds.all)
      }
      let test = try TestFeed(sections, configuration: text, options: options)
      var cache = test.cache
      let follower = try open(options)
      _ = try OracleElement.all(of: cache)
      for _ in PropertyRun.each(seed, steps: 12) {
        let origin: Comment = "\(text)"
        if generator.oneIn(4) {
          let refused = batches.nextRefused(for: feed, using: &generator)
          #expect(throws: LayoutCacheError.self, origin) {
            try cache.update("feed", with: refused.map { try BatchOperation($0) })
          }
        }
        let batch = batches.next(for: feed, using: &generator)
        let before = feed.oracle
        try feed.apply(batch)
        // A layout from scratch uses the items after the batch.
        let isEverything = batch.isEverything
        if isEverything { try feed.layOutFromScratch() }
        let layouts = [UpdatedLayouts.inUse, .upToDate, .none].randomElement(using: &generator)!
        let commit = try cache.update(
          "feed", with: batch.map { try BatchOperation($0) }, preparing: layouts)
        try checkInvariants(cache)
        #expect(commit.revision == feed.revision, "\(origin)\n\(batch)")
        for change in commit.layouts {
          change.context.expectComplete(
            before: before, after: feed.oracle, text: text, "\(origin)\n\(batch)")
        }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0:
          try cache.close()
          cache = try open(options)
        case 1:
          // With very little memory for nodes, every query releases them.
          var options = options
          options.nodeCacheBytes = 1 << 10
          cache = try open(options)
        case 2:
          try cache.checkpoint()
        case 3:
          try cache.prepare(LayoutID("layout", of: "feed"))
        case 4...5 where !isEverything:
          continue
        default: break
        }
        let found = try OracleElement.all(of: cache)
        let expected = OracleElement.all(of: feed.oracle)
        try #require(
          found == expected,
          "\(origin)\n\(batch)\n\(difference(found, expected)), layouts \(layouts)")
        let offsets = RandomOffsets.next(for: feed.oracle, using: &generator)
        let scrolled = try cache.read(LayoutID("layout", of: "feed")) {
          try OracleElement.all(of: $0.scrolled(to: CarouselOffsets(offsets)))
        }
        try #require(
          scrolled == OracleElement.all(of: feed.oracle.scrolled(to: offsets)),
          "\(origin)\n\(batch)\nat \(offsets)")
        if generator.oneIn(3) {
          let followed = try OracleElement.all(of: follower)
          try #require(followed == found, "\(origin): the follower\n\(batch)")
        }
        if generator.oneIn(6) {
          let report = try follower.verify()
          try #require(report.problems.isEmpty, "\(origin)\n\(batch)\n\(report.problems)")
        }
      }
    }
  }

  /// Checks the invariants of the cache's state in memory.
  private func checkInvariants(_ cache: LayoutCache) throws {
    guard let state = cache.openDatasets.known("feed").state else { return }
    try cache.store.read { try state.checkInvariants($0) }
  }

  /// The first difference, as a text.
  private func difference(_ found: [OracleElement], _ expected: [OracleElement]) -> String {
    for (one, other) in zip(found, expected) where one != other {
      return "FOUND \(one) EXPECTED \(other)"
    }
    return "FOUND \(found.count) EXPECTED \(expected.count) elements"
  }
}
