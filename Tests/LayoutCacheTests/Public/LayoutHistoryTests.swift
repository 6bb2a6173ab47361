import CollectionLayout
import LayoutCacheTestSupport
import TestSupport
import Testing

@testable import LayoutCache

/// The configurations that a layout has had. `WorldTests` compares them after random calls.
@Suite struct LayoutHistoryTests {
  private let clock = TestClock(milliseconds: 1000)
  private let layout = LayoutID("phone", of: "feed")
  private let directory: TemporaryDirectory
  private let cache: LayoutCache

  init() throws {
    directory = try TemporaryDirectory()
    cache = try LayoutCache(path: directory.path(of: "feed.sqlite"), clock: clock.clock)
    try cache.createDataset("feed")
  }

  private func set(_ layout: LayoutID, columns: Int, _ size: String = "\"width\":300") throws {
    let text = #"{"container":{\#(size)},"section":{"columns":\#(columns)}}"#
    try cache.setLayout(layout, to: ConfigurationText.decode(text))
  }

  private func columns(_ layout: LayoutID) throws -> [SectionOptions.Columns?] {
    try cache.layoutHistory(of: layout).map(\.configuration.section.columns)
  }

  @Test func theLastSixteenConfigurationsAreKeptWithTimeAndCaller() throws {
    for number in 1...20 {
      clock.advance(by: 10)
      try LayoutCache.$caller.withValue(number == 20 ? "shop" : "") {
        try set(layout, columns: number)
        // It is set already.
        clock.advance(by: 1)
        try set(layout, columns: number)
      }
    }
    #expect(try columns(layout) == (5...20).reversed().map { SectionOptions.Columns.equal($0) })
    let history = try cache.layoutHistory(of: layout)
    #expect(history.compactMap(\.who) == ["shop"] && history[0].who == "shop")
    let times = (5...20).reversed().map { Int64(999 + 11 * $0) }
    #expect(history.map(\.millisecondsSince1970) == times)
  }

  @Test func theHistoryOfAVariantIsThatOfItsLayout() throws {
    let (any, variant) = (LayoutID("any", of: "feed"), LayoutID("any@320", of: "feed"))
    for number in 1...2 {
      try set(any, columns: number, "\"widths\":{}")
      try cache.read(variant) { _ in }
    }
    #expect(try columns(variant) == [2, 1] && columns(any) == [2, 1])
    #expect(throws: LayoutCacheError.self) { try cache.restorePreviousConfiguration(of: variant) }
    try cache.restorePreviousConfiguration(of: any)
    #expect(try cache.layout(variant).configuration.section.columns == 1)
  }
}
