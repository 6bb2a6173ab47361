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

  @Test(.property) func randomBatchesCoverEveryKindOfChange() throws {
    var kinds: Set<String> = []
    var refusals: Set<OracleRefusal.Code> = []
    for seed in PropertyRun.eachSeed() {
      var generator = SeededGenerator(seed: seed)
      var source = RandomFeed(sectionCountMax: 4, itemCountMax: 40)
      let sections = source.sections(using: &generator)
      var batches = RandomBatch(source: source, itemCountMax: 150)
      let text = Self.configurations[Int(seed % 2)]
      var feed = try OracleFeed(configuration: text, sections: sections)
      for _ in 0..<160 {
        let batch = batches.next(for: feed, using: &generator)
        try feed.apply(batch)
        kinds.formUnion(batch.map { String("\($0)".prefix { $0 != "(" }) })
        let refused = batches.nextRefused(for: feed, using: &generator)
        do { try feed.apply(refused) } catch { refusals.insert(error.code) }
      }
    }
    #expect(kinds.count == 17, "\(kinds)")
    #expect(
      refusals == [
        .unknownItem, .unknownSection, .itemExists, .itemTwice, .sectionExists, .relativeToItself,
        .inOtherSection, .outOfRange, .takesNoCrossLength, .noSupplementary,
        .noElement,
      ], "\(refusals)")
  }
}
