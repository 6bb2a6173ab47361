import LayoutCacheTestSupport
import TestSupport

@testable import LayoutCache

/// A random feed in two layouts of random kinds, "layout" and "other", and random batches.
struct TwoLayouts {
  static let layouts = ["layout", "other"].map { LayoutID($0, of: "feed") }

  let test: TestFeed
  /// The layouts' configurations.
  let texts: [String]
  private var feed: OracleFeed
  private var batches: RandomBatch

  init(
    _ kinds: RandomConfiguration.Kinds, allowsEffects: Bool,
    using generator: inout SeededGenerator
  ) throws {
    var source = RandomFeed(itemCountMax: 40)
    let sections = source.sections(using: &generator)
    texts = Self.layouts.map { _ in
      RandomConfiguration(kinds: kinds, allowsEffects: allowsEffects)
        .text(sectionKeys: sections.map(\.key), using: &generator)
    }
    feed = try OracleFeed(configuration: texts[0], sections: sections)
    batches = RandomBatch(source: source)
    test = try TestFeed(
      sections, configuration: texts[0], options: .randomShapes(using: &generator))
    try test.cache.setLayout(Self.layouts[1], to: ConfigurationText.decode(texts[1]))
  }

  /// Snapshots of both layouts that may be retained.
  func keptSnapshots() throws -> [LayoutSnapshot] {
    try Self.layouts.map { try test.cache.keptSnapshot(of: $0) }
  }

  /// Commits a random batch.
  mutating func change(using generator: inout SeededGenerator) throws {
    let batch = batches.next(for: feed, using: &generator)
    try feed.apply(batch)
    if batch.isEverything { try feed.layOutFromScratch() }
    // Measured lengths are those of the first layout, if it accepts any.
    try test.cache.update("feed", with: batch.map { try BatchOperation($0) })
  }
}
