import TestSupport
import Testing

/// Random batches are of every kind, and so are the refused ones.
@Suite struct RandomBatchChangesTests {
  /// Waterfalls whose columns are easily uneven.
  private static let configurations = ["", #","tolerance":30,"ties":"cursor","lineSpacing":3"#].map
  {
    """
    {"container":{"width":700},"section":{"kind":"waterfall","columns":3,"itemLength":"natural",
     "maximumSkew":20\($0)}}
    """
  }

  /// The contents of the batches of a few seeds.
  private struct Census {
    var kinds: Set<String> = []
    var refusals: Set<OracleRefusal.Code> = []
    var itemsThatCameBack = 0
    var sectionsThatCameBack = 0
    /// Batches of deletions only, after which some column had changed.
    var automaticRebalances = 0
    var settledSections = 0
    var emptyFeeds = 0
    var itemCountMax = 0
  }

  @Test(.property) func randomBatchesCoverEveryKindOfChange() throws {
    var census = Census()
    for seed in PropertyRun.eachSeed() {
      var generator = SeededGenerator(seed: seed)
      var source = RandomFeed(sectionCountMax: 4, itemCountMax: 40)
      let sections = source.sections(using: &generator)
      let text = Self.configurations[Int(seed % 2)]
      var batches = RandomBatch(source: source, itemCountMax: 150)
      var feed = try OracleFeed(configuration: text, sections: sections)
      var gone: Set<String> = []
      for _ in 0..<160 {
        let batch = batches.next(for: feed, using: &generator)
        let before = feed
        try feed.apply(batch)
        count(batch, before, feed, &gone, &census)
        let refused = batches.nextRefused(for: feed, using: &generator)
        do { try feed.apply(refused) } catch { census.refusals.insert(error.code) }
      }
    }
    #expect(census.kinds.count == 17, "\(census)")
    #expect(
      census.refusals == [
        .unknownItem, .unknownSection, .itemExists, .itemTwice, .sectionExists, .relativeToItself,
        .inOtherSection, .outOfRange, .takesNoCrossLength, .noSupplementary,
        .noElement,
      ], "\(census)")
    #expect(census.itemsThatCameBack > 5 && census.sectionsThatCameBack > 0, "\(census)")
    #expect(census.automaticRebalances > 3 && census.settledSections > 3, "\(census)")
    #expect(census.emptyFeeds > 0, "\(census)")
    #expect((100...400).contains(census.itemCountMax), "\(census)")
  }

  private func count(
    _ batch: [OracleOperation], _ before: OracleFeed, _ after: OracleFeed,
    _ gone: inout Set<String>, _ census: inout Census
  ) {
    for operation in batch {
      census.kinds.insert(String("\(operation)".prefix { $0 != "(" }))
      switch operation {
      case .delete(let keys, _): gone.formUnion(keys)
      case .deleteSection(let key, _): gone.insert(key)
      case .insert(let items, _):
        census.itemsThatCameBack += items.filter { gone.contains($0.key) }.count
      case .insertSection(let key, _, _): census.sectionsThatCameBack += gone.contains(key) ? 1 : 0
      default: break
      }
    }
    let items = after.sections.flatMap(\.items)
    let deletesOnly = batch.allSatisfy { if case .delete = $0 { true } else { false } }
    if deletesOnly {
      let old = before.sections.flatMap(\.items)
      let changed = items.contains { item in
        old.contains { $0.key == item.key && $0.storedColumn != item.storedColumn }
      }
      if changed { census.automaticRebalances += 1 }
    }
    census.settledSections += after.sections.filter { $0.settledSkew > 0 }.count
    census.emptyFeeds += items.isEmpty ? 1 : 0
    census.itemCountMax = max(census.itemCountMax, items.count)
  }
}
