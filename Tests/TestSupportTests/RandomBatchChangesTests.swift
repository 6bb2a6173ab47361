import TestSupport
import Testing

/// Strategy: random batches on random feeds under random configurations.
///
/// Invariants: a valid batch is applied, an invalid one changes nothing; cells are the items in
/// order; an exact layout equals one from scratch, and a stable one does once it is laid out
/// from scratch; a stable waterfall's stored columns are those of its cells.
@Suite struct RandomBatchChangesTests {
  private func configuration(
    _ step: Int, _ sections: [OracleSection], using generator: inout SeededGenerator
  ) -> String {
    let columns = Int.random(in: 1...5, using: &generator)
    let skewed = #""columns":\#(columns),"itemLength":"natural","maximumSkew":20"#
    switch step % 4 {
    case 0: return #"{"container":{"width":700},"section":{"kind":"waterfall",\#(skewed)}}"#
    case 1:
      let members = skewed + #","tolerance":30,"ties":"cursor","lineSpacing":3"#
      return #"{"container":{"width":700},"section":{"kind":"waterfall",\#(members)}}"#
    default:
      return RandomConfiguration().text(sectionKeys: sections.map(\.key), using: &generator)
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func validBatchesAreAppliedAndInvalidOnesChangeNothing(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for step in PropertyRun.each(seed, steps: 8) {
      var source = RandomFeed(sectionCountMax: 4, itemCountMax: 40)
      let sections = source.sections(using: &generator)
      let text = configuration(step, sections, using: &generator)
      var batches = RandomBatch(source: source, itemCountMax: 150)
      var feed = try OracleFeed(configuration: text, sections: sections)
      for batch in 0..<12 {
        let origin: Comment = "batch \(batch), \(text)"
        try feed.apply(batches.next(for: feed, using: &generator))
        try check(feed, configuration: text, origin)
        let before = feed
        let refused = batches.nextRefused(for: feed, using: &generator)
        let refusal = #expect(throws: OracleRefusal.self, origin) { try feed.apply(refused) }
        let number = try #require(refusal?.operation, origin)
        #expect((1...refused.count).contains(number), origin)
        #expect(refusal?.code != .contentTooLong, origin)
        #expect(feed.sections == before.sections, origin)
      }
    }
  }

  private func check(
    _ feed: OracleFeed, configuration text: String, _ origin: Comment
  ) throws {
    let items = feed.sections.flatMap(\.items)
    let cells = feed.oracle.cells
    #expect(cells.map { Array($0.key!.utf8) } == items.map { Array($0.key.utf8) }, origin)
    #expect(Set(items.map { Array($0.key.utf8) }).count == items.count, origin)
    for (item, cell) in zip(items, cells) where item.storedColumn != nil {
      #expect(item.storedColumn == cell.column, origin)
    }
    var fresh = feed
    try fresh.layOutFromScratch()
    var scratch = try OracleFeed(configuration: text, sections: feed.sections)
    let measured = [(true, feed.frameLengths.header), (false, feed.frameLengths.footer)]
    for (isHeader, length) in measured where length != nil {
      try scratch.apply([.preferLayout(isHeader: isHeader, length: length)])
    }
    try scratch.layOutFromScratch()
    #expect(fresh.sections == scratch.sections, origin)
    #expect(fresh.oracle.allElements() == scratch.oracle.allElements(), origin)
    for (index, section) in feed.sections.enumerated()
    where section.items.allSatisfy({ $0.storedColumn == nil }) {
      #expect(
        cells.filter { $0.section == index }.map(\.column)
          == fresh.oracle.cells.filter { $0.section == index }.map(\.column), origin)
    }
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
      let text = configuration(Int(seed) % 2, sections, using: &generator)
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

  @Test func sameSeedGivesTheSameBatches() throws {
    func batches() throws -> [[OracleOperation]] {
      var generator = SeededGenerator(seed: 7)
      var source = RandomFeed()
      var feed = try OracleFeed(source.sections(using: &generator))
      var batches = RandomBatch(source: source)
      return try (0..<20).map { _ in
        let batch = batches.next(for: feed, using: &generator)
        try feed.apply(batch)
        return batch
      }
    }
    #expect(try batches() == batches())
  }
}
