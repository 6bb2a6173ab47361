import LayoutCache
import LayoutCacheTestSupport
import TestSupport
import Testing

@Suite struct MeasuringWorkTests {
  /// Measuring a screenful of neighbours changes as many nodes of a layout as measuring one of
  /// them, and a few more for their leaves and lines.
  ///
  /// An exact waterfall continues until its columns agree, which may be anywhere.
  @Test(arguments: [KindExample.waterfall, .flow, .scaledFlow])
  func measuringAScreenfulCostsOneEdit(_ example: KindExample) throws {
    let feed = try TestFeed(
      [OracleSection.mixed("s", count: 4000)], configuration: example.configuration())
    _ = try feed.read { $0.contentSize }
    func changedNodes(_ keys: Range<Int>) throws -> Int {
      let commit = try feed.cache.update(
        "feed", with: keys.map { .prefer(layout: "layout", key: "s-\($0)", length: 31) })
      return commit.layouts.first?.context.work.changedNodes ?? 0
    }
    let one = try changedNodes(1000..<1001)
    let screen = try changedNodes(3000..<3040)
    #expect(screen <= one + 6, "\(one), \(screen)")
  }
}
