import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Lengths measured for variants that no longer exist: without effect, outside the history, and
// bounded.

@Suite struct VariantLengthTests {
  private static let any =
    #"{"container":{"widths":{"step":8,"keep":2}},"section":{"columns":2,"header":20}}"#

  private let clock = TestClock(milliseconds: 1_700_000_000_000)
  private let directory: TemporaryDirectory
  private let cache: LayoutCache

  init() throws {
    directory = try TemporaryDirectory()
    cache = try LayoutCache(path: directory.path(of: "feed.sqlite"), clock: clock.clock)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<40 {
        try importer.add(Item(key: "k\(number)", width: 4, height: 3), section: "main")
      }
    }
    try set(Self.any)
  }

  private func set(_ text: String) throws {
    try cache.setLayout(LayoutID("any", of: "feed"), to: ConfigurationText.decode(text))
  }

  /// Measures an item and the header at a width.
  private func measure(_ width: Int, key: String = "k0") throws {
    try cache.update(
      "feed",
      with: [
        .prefer(layout: "any@\(width)", key: key, length: 77),
        .preferSupplementary(layout: "any@\(width)", kind: .header, section: "main", length: 33),
      ])
  }

  /// Requests widths that replace all previous variants.
  private func replaceVariants(by widths: [Int]) throws {
    for width in widths {
      clock.advance(by: 3_600_000)
      try cache.read(LayoutID("any@\(width)", of: "feed")) { _ in }
    }
  }

  /// The numbers of measured lengths of items and sections in the trees, garbage included.
  private func lengths(_ cache: LayoutCache, _ dataset: String = "feed") throws -> [Int] {
    try cache.onSnapshot(of: dataset) { state, _, session in
      var (items, sections) = (0, 0)
      try state.trees.items.forEachLeaf(in: session) { leaf, _ in
        items += leaf.preferredLengths.count
      }
      try state.trees.sections.forEachLeaf(in: session) { leaf, _ in
        sections += leaf.entries.reduce(0) { $0 + $1.supplementaryLengths.count }
      }
      return [items, sections]
    }
  }

  private func height(_ key: String, at width: Int) throws -> Length? {
    try cache.read(LayoutID("any@\(width)", of: "feed")) {
      try $0.attributes(forKey: key)?.frame.size.height
    }
  }

  @Test func lengthsAreBoundedByTheLayoutsThatExist() throws {
    for round in 0..<20 {
      clock.advance(by: 2000)
      try measure(200 + 8 * round)
      let counts = try lengths(cache)
      // Those of the variant that this measurement has replaced may still be there.
      #expect(counts[0] <= 3 && counts[1] <= 3, "\(round): \(counts)")
    }
    // A resize removes all.
    try cache.update("feed", with: [.resize(key: "k0", size: Size(width: 5, height: 1))])
    #expect(try lengths(cache)[0] == 0)
  }

  @Test(arguments: [
    any.replacing("\"step\":8", with: "\"step\":7"),
    any.replacing("\"widths\"", with: "\"heights\"")
      .replacing("\"section\"", with: "\"scrollDirection\":\"horizontal\",\"section\""),
    #"{"container":{"width":390}}"#,
  ])
  func everyRemovalLeavesNoLengthsInArchives(configuration: String) throws {
    try measure(400)
    try set(configuration)
    #expect(try lengths(cache) == [1, 1])
    let archive = try cache.archive()
    let other = try LayoutCache(path: directory.path(of: "other.sqlite"), clock: clock.clock)
    try other.load(archive)
    #expect(try lengths(other) == [0, 0])
    #expect(try other.archive() == archive)
  }

  @Test func archivesOfFilesWithDifferentGarbageAreEqual() throws {
    try measure(400)
    try measure(408, key: "k1")
    try replaceVariants(by: [408, 600])
    // The first file has the lengths at 400 as garbage, the second has not.
    let other = try LayoutCache(path: directory.path(of: "other.sqlite"), clock: clock.clock)
    try other.load(try cache.archive())
    #expect(try lengths(other) == [1, 1])
    #expect(try lengths(cache)[0] == 2)
    #expect(try cache.archive() == other.archive())
    #expect(try height("k1", at: 408) == 77)
  }
}
