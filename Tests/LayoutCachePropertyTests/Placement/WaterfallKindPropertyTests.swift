import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random batches, rebalances, undos and reopenings of a dataset with two layouts of a
// custom waterfall, a stable and an exact one. For each layout, a second dataset uses the built-in
// kind. Its items have the lengths and spans of the custom rule, computed separately by
// `WaterfallMirror`, and it receives the same changes.
//
// Invariant: both kinds have equal elements, including columns, after any changes.

@Suite struct WaterfallKindPropertyTests {
  private final class Run {
    let mirrors: [WaterfallMirror]
    private let directory: TemporaryDirectory
    private let options: LayoutCacheOptions
    private let feed: ListedFeed
    /// The cache, which is sometimes reopened.
    private(set) var cache: LayoutCache
    private var batchCount = 0
    /// The items before the last batch; `nil` if it cannot be undone.
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

    /// Commits a random batch to all datasets, or undoes the last one.
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
      // A batch that changes only some of the datasets would make their revisions differ.
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
  func columnsEqualThoseOfTheBuiltInKind(seed: UInt64) throws {
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
