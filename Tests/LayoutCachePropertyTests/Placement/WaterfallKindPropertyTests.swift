import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random batches, rebalances, undos and reopenings of a dataset in two layouts of a
// waterfall of one's own, a stable and an exact one. Next to it is a dataset for each in the
// kind that is built in, whose items have as natural lengths and spans what the kind says of them,
// by the mirror's own arithmetic, and which goes through the same.
//
// Invariant: both show the same, columns included, whatever has been.

@Suite struct WaterfallKindPropertyTests {
  private final class Run {
    let mirrors: [WaterfallMirror]
    private let directory: TemporaryDirectory
    private let options: LayoutCacheOptions
    private let feed: ListedFeed
    /// The cache with the file, which is opened again now and then.
    private(set) var cache: LayoutCache
    private var batchCount = 0
    /// The items before the last batch, if that can be taken back.
    private var before: [ListedSection]?

    init(using random: inout SeededGenerator) throws {
      var options = LayoutCacheOptions.randomShapes(using: &random)
      options.treeShapes.rebalancing = RebalanceRules(instalment: 5, batchMax: 40)
      self.options = options
      directory = try TemporaryDirectory()
      cache = try LayoutCache(
        path: directory.path(of: "feed.sqlite"), options: options,
        waterfallLayouts: [CaptionedKind.self])
      feed = ListedFeed(using: &random)
      mirrors = [
        WaterfallMirror("a", isExact: false, using: &random),
        WaterfallMirror("b", isExact: random.oneIn(2), using: &random),
      ]
      try feed.create(in: cache)
      for mirror in mirrors {
        _ = try cache.importItems(into: mirror.dataset, mode: .create) { importer in
          for section in feed.sections { try importer.addSection(section.key) }
          for section in feed.sections {
            for item in section.items {
              try importer.add(mirror.item(Item(listed: item)), section: section.key)
            }
          }
        }
        try cache.setLayout(
          LayoutID(mirror.name, of: "feed"), to: ConfigurationText.decode(mirror.text))
        try cache.setLayout(
          LayoutID(mirror.name, of: mirror.dataset),
          to: ConfigurationText.decode(mirror.plainText))
      }
    }

    /// Commits a random batch to all datasets, or takes the last one back.
    func step(using random: inout SeededGenerator) throws {
      let layouts: UpdatedLayouts = random.oneIn(3) ? .none : .upToDate
      if let before, random.oneIn(4) {
        feed.sections = before
        self.before = nil
        for dataset in ["feed"] + mirrors.map(\.dataset) {
          try cache.undo(dataset, preparing: layouts)
        }
        return
      }
      before = feed.sections
      var batch = try feed.batch(&random)
      let layout = mirrors.randomElement(using: &random)!.name
      if random.oneIn(6) { batch.append(.rebalance(layout: layout)) }
      if random.oneIn(12) {
        batch.append(.invalidate(layout: layout, everything: true))
        before = nil
      }
      // What is no change to one of them is a revision of all.
      batchCount += 1
      batch.append(.mark(source: "test", position: "\(batchCount)"))
      try cache.update("feed", with: batch, preparing: layouts)
      for mirror in mirrors {
        try cache.update(
          mirror.dataset, with: batch.compactMap(mirror.operation), preparing: layouts)
      }
      if random.oneIn(6) {
        try cache.close()
        cache = try LayoutCache(
          path: directory.path(of: "feed.sqlite"), options: options,
          waterfallLayouts: [CaptionedKind.self])
      }
    }

    func elements(_ layout: LayoutID) throws -> [OracleElement] {
      try cache.read(layout) { try OracleElement.all(of: $0) }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func itKeepsColumnsAsTheBuiltInOneDoes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, rounds: 2) {
      let run = try Run(using: &random)
      for _ in PropertyRun.each(seed, steps: 12) {
        for mirror in run.mirrors {
          let shown = try run.elements(LayoutID(mirror.name, of: "feed"))
          let expected = try run.elements(LayoutID(mirror.name, of: mirror.dataset))
          #expect(
            shown == expected, "\(mirror.text)")
          #expect(shown.contains { $0.column != nil })
        }
        try run.step(using: &random)
      }
      #expect(try run.cache.verify().problems.isEmpty)
    }
  }
}
