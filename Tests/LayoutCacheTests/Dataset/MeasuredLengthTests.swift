import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// Lengths measured by a client, for headers and footers and across.
@Suite struct MeasuredLengthTests {
  private let feed: TestFeed
  private var cache: LayoutCache { feed.cache }
  private static let ends = #","header":20,"footer":10,"background":{"kind":"card"}"#

  init() throws {
    feed = try TestFeed(
      [.mixed("a", count: 20), .mixed("b", count: 20)],
      configuration: KindExample.waterfall.configuration(extra: Self.ends))
    _ = try feed.read { try $0.indexPath(ofKey: "a-0") }
  }

  private func header(
    _ length: Length?, of section: String = "a", kind: LayoutAttributes.SupplementaryKind = .header,
    layout: String = "layout"
  ) -> BatchOperation {
    .preferSupplementary(layout: layout, kind: kind, section: section, length: length)
  }

  private func frame(
    _ kind: LayoutAttributes.SupplementaryKind, _ section: Int, in cache: LayoutCache? = nil
  ) throws -> Rect? {
    try (cache ?? self.cache).read(LayoutID("layout", of: "feed")) {
      try $0.attributes(forSupplementary: kind, inSection: section)?.frame
    }
  }

  private func reason(_ operations: BatchOperation...) -> BatchError? {
    do {
      try cache.update("feed", with: operations)
      return nil
    } catch let error as LayoutCacheError {
      guard case .refused(_, let reason) = error.code else { return nil }
      return reason
    } catch {
      return nil
    }
  }

  @Test func aMeasuredHeaderMovesTheFollowingContent() throws {
    let before = try feed.read { try $0.attributes(forKey: "b-3")?.frame }
    let commit = try cache.update("feed", with: [header(32), header(15, kind: .footer)])
    #expect(try frame(.header, 0) == Rect(x: 0, y: 0, width: 200, height: 32))
    #expect(try frame(.footer, 0)?.size.height == 15)
    #expect(try frame(.header, 1)?.size.height == 20)
    let after = try feed.read { try $0.attributes(forKey: "b-3")?.frame }
    #expect(after?.origin.y == before.map { $0.origin.y + 17 })
    let context = try #require(commit.layouts.first?.context)
    #expect(context.contentSizeAdjustment == Size(width: 0, height: 17))
    #expect(context.work.recomputedItems == 0 && context.sections.map(\.section) == [0])
    #expect(context.sections[0].supplementaryElements == [.header, .footer])
    #expect(commit.updates.isEmpty)
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func lengthsSurviveMovesReopeningAndReconfiguration() throws {
    try cache.update("feed", with: [header(32, of: "b"), .moveSection(key: "b", index: 0)])
    // Unchanged: no revision.
    #expect(try cache.update("feed", with: [header(32, of: "b")]).revision == 2)
    try cache.close()
    let cache = try LayoutCache(path: feed.path)
    #expect(try frame(.header, 0, in: cache)?.size.height == 32)
    // Rebuilt, with the same sections.
    _ = try cache.importItems(into: "feed", mode: .append) { importer in
      for index in 0..<100 {
        try importer.add(Item(key: "n\(index)", width: 1, height: 1), section: "b")
      }
    }
    #expect(try frame(.header, 0, in: cache)?.size.height == 32)
    let layout = LayoutID("layout", of: "feed")
    func set(_ extra: String) throws {
      let text = KindExample.flow.configuration(extra: extra)
      try cache.setLayout(layout, to: ConfigurationText.decode(text))
    }
    try set("")
    #expect(try frame(.header, 0, in: cache) == nil)
    #expect(try cache.verify().problems.isEmpty)
    try set(#","header":5"#)
    #expect(try frame(.header, 0, in: cache)?.size.height == 32)
    #expect(try frame(.header, 1, in: cache)?.size.height == 5)
    try cache.update("feed", with: [.deleteSection(key: "b"), .insertSection(key: "b", index: 0)])
    #expect(try frame(.header, 0, in: cache)?.size.height == 5)
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func lengthsOfMissingElementsAreRejected() throws {
    try cache.setLayout(
      LayoutID("flow", of: "feed"), to: ConfigurationText.decode(KindExample.flow.configuration()))
    let (tooLong, none) = (Length(units: 64_000_001), "none")
    guard case .noSupplementary(.header, "a", "flow")? = reason(header(9, layout: "flow")),
      case .noSuchLayout? = reason(header(nil, layout: none)),
      case .noSuchSection? = reason(header(9, of: none)),
      case .limit? = reason(header(.zero)), case .limit? = reason(header(tooLong)),
      case .limit? = reason(
        .prefer(layout: "flow", key: "a-0", length: 1, crossLength: tooLong)),
      case .takesNoCrossLength("a-0", .waterfall, "layout")? = reason(
        .prefer(layout: "layout", key: "a-0", length: 1, crossLength: 1))
    else {
      Issue.record("unexpected reason")
      return
    }
    // A missing length can be reset.
    #expect(try cache.update("feed", with: [header(nil, layout: "flow")]).revision == 1)
  }

  @Test func aFlowItemKeepsItsMeasuredWidthUntilItIsResized() throws {
    try feed.set(KindExample.flow.configuration())
    func size() throws -> Size? {
      try feed.read { try $0.attributes(forKey: "a-0")?.frame.size }
    }
    let natural = try #require(try size())
    func prefer(_ length: Length?, _ crossLength: Length? = nil) -> BatchOperation {
      .prefer(layout: "layout", key: "a-0", length: length, crossLength: crossLength)
    }
    try cache.update("feed", with: [prefer(30, 41)])
    #expect(try size() == Size(width: 41, height: 30))
    #expect(try cache.update("feed", with: [prefer(30, 41)]).revision == 2)
    // A preference is complete: without a length across the natural one applies.
    try cache.update("feed", with: [prefer(30)])
    #expect(try size() == Size(width: natural.width, height: 30))
    try cache.update("feed", with: [prefer(30, 999)])
    #expect(try size() == Size(width: 200, height: 30))
    try cache.close()
    let reopened = try LayoutCache(path: feed.path)
    #expect(try reopened.verify().problems.isEmpty)
    try reopened.update(
      "feed", with: [.resize(key: "a-0", size: natural + Size(width: 1, height: 0))])
    let found = try reopened.read(LayoutID("layout", of: "feed")) {
      try $0.attributes(forKey: "a-0")?.frame.size
    }
    #expect(found == natural + Size(width: 1, height: 0))
  }
}
