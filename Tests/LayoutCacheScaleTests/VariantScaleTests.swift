import CollectionLayout
import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: 200 widths of one layout are requested one after the other, more than ten times as
// many as it keeps. Whatever has been requested, the file, the state in memory and the work of a
// commit are those of the variants that are kept. `LAYOUTCACHE_VARIANT_ITEMS` sets the number of
// items; 1,000,000 take some minutes in a release build.

@Suite struct VariantScaleTests {
  private static let itemCount =
    ProcessInfo.processInfo.environment["LAYOUTCACHE_VARIANT_ITEMS"].flatMap { Int($0) } ?? 4000
  private static let keep = 16

  private let clock = TestClock(milliseconds: 1_700_000_000_000)
  private let directory: TemporaryDirectory
  private let cache: LayoutCache

  init() throws {
    directory = try TemporaryDirectory()
    cache = try LayoutCache(path: directory.path(of: "feed.sqlite"), clock: clock.clock)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<Self.itemCount {
        try importer.add(
          Item(key: "k\(number)", width: 4, height: Double(3 + number % 5)), section: "main")
      }
    }
    try cache.setLayout(
      id("any"),
      to: ConfigurationText.decode(
        #"{"container":{"widths":{}},"section":{"minimumColumnWidth":90}}"#))
  }

  private func id(_ name: String) -> LayoutID { LayoutID(name, of: "feed") }

  @Test func twoHundredWidthsCostWhatTheKeptOnesDo() throws {
    var fileBytes: [Int] = []
    var nodeCounts: [Int] = []
    for number in 0..<200 {
      clock.advance(by: 2000)
      let layout = id("any@\(200 + 8 * number)")
      let first = try cache.prepare(layout)
      // A width that was never seen costs one layout, and a known one none.
      #expect(first.context?.work.recomputedItems == Self.itemCount)
      try cache.read(layout) { _ = try $0.elements(in: Rect(x: 0, y: 0, width: 200, height: 900)) }
      #expect(try cache.prepare(layout).context == nil)
      guard number % 40 == 39 else { continue }
      let inspection = try cache.inspect()
      fileBytes.append(inspection.fileBytes)
      nodeCounts.append(inspection.nodeCount)
      #expect(try cache.layout(id("any")).variants.count == Self.keep)
      let state = try #require(cache.openDatasets.dataset(inMemory: "feed")?.state(at: nil))
      #expect(state.layouts.count <= Self.keep)
    }
    // Without a compaction. Free pages may be left, as many as a few variants take.
    #expect(fileBytes.last! <= fileBytes[0] + fileBytes[0] / 4, "\(fileBytes)")
    #expect(nodeCounts.last! <= nodeCounts[0] + nodeCounts[0] / 4, "\(nodeCounts)")
    let commit = try cache.update(
      "feed", with: [.resize(key: "k77", size: Size(width: 4, height: 9))])
    #expect(commit.layouts.count == Self.keep)
    // A path from a leaf to the root, or one and its neighbour.
    for layout in commit.layouts {
      #expect((1...16).contains(layout.context.work.changedNodes), "\(layout.context.work)")
    }
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func concurrentFirstRequestsLayOutOnce() throws {
    let (cache, layout) = (cache, id("any@390"))
    let recomputed = Mutex<[Int]>([])
    try Threads.start(6) { _ in
      let work = try cache.prepare(layout).context?.work
      recomputed.withLock { $0.append(work?.recomputedItems ?? 0) }
    }.join()
    #expect(recomputed.withLock { $0.sorted() } == [0, 0, 0, 0, 0, Self.itemCount])
  }
}
