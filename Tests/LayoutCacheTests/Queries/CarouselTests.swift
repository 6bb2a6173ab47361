import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// Carousels at scroll positions.
@Suite struct CarouselTests {
  private static let configuration = """
    {"container":{"width":100,"height":200},
     "section":{"kind":"grid","columns":2,"rowLength":30},
     "sections":{"hero=1":{"kind":"carousel","itemWidth":40,"itemLength":50,"spacing":10}}}
    """

  private func feed() throws -> TestFeed {
    try TestFeed(
      [
        OracleSection("hero=1", sizes: Array(repeating: (30, 30), count: 10)),
        OracleSection("s", sizes: Array(repeating: (30, 30), count: 6)),
      ], configuration: Self.configuration)
  }

  private func keys(_ elements: [LayoutAttributes]) -> [String] {
    elements.compactMap { if case .cell(let key) = $0.category { key } else { nil } }
  }

  @Test func longAnswersAreReadAtTheirOffsets() throws {
    let test = try feed()
    let layout = LayoutID("layout", of: "feed")
    let everywhere = Rect(x: 0, y: 0, width: 100, height: 900)
    var found: [LayoutAttributes] = []
    try test.cache.forEachPage(
      of: .rect(everywhere), in: layout, scrolledTo: ["hero=1": 50]
    ) { snapshot, page, _ in
      #expect(snapshot.carouselOffsets == ["hero=1": 50])
      found += page.elements
    }
    let expected = try test.read { try $0.scrolled(to: ["hero=1": 50]).elements(in: everywhere) }
    #expect(found == expected.elements)
    #expect(keys(found).prefix(2) == ["hero=1-1", "hero=1-2"])
    let next = try #require(
      try test.read { try $0.scrolled(to: ["hero=1": 50]).elements(in: everywhere, limit: 1) }.next)
    var rest: [LayoutAttributes] = []
    try test.cache.forEachPage(of: .after(next, limit: 100), in: layout) { _, page, _ in
      rest += page.elements
    }
    #expect(rest == Array(found.dropFirst()))
  }

  @Test func aSideThatTheRuleFixesIsNotMeasured() throws {
    let test = try TestFeed(
      [.mixed("s", count: 3)],
      configuration:
        #"{"container":{"width":100},"section":{"kind":"carousel","itemWidth":{"fraction":0.5}}}"#)
    #expect(throws: LayoutCacheError.self) {
      try test.cache.update(
        "feed", with: [.prefer(layout: "layout", key: "s-0", length: 33, crossLength: 71)])
    }
  }

  @Test func aLineBeyondTheLimitIsRejectedWithTheItem() throws {
    let sizes = Array(repeating: (1_000_000.0, 1.0 / 64), count: 300)
    let test = try TestFeed([OracleSection("s", sizes: sizes)])
    // 64,000,000 x 64,000,000 units each.
    try test.set(
      #"{"container":{"width":100},"section":{"kind":"carousel","itemWidth":"aspect","itemLength":1000000}}"#
    )
    let error = #expect(throws: LayoutCacheError.self) { try test.read { _ in } }
    #expect(
      error.map { "\($0)".contains("content length") } == true, "\(String(describing: error))")
  }
}
