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

  private func configuration(columns: Int, container: String = "\"width\":300") throws
    -> LayoutConfiguration
  {
    try ConfigurationText.decode(
      #"{"container":{\#(container)},"section":{"columns":\#(columns)}}"#)
  }

  private func columns(_ name: String = "phone") throws -> [Int?] {
    try cache.layoutHistory(of: LayoutID(name, of: "feed")).map(\.configuration.section.columns)
  }

  @Test func theLastSixteenConfigurationsAreKeptWithTimeAndCaller() throws {
    for number in 1...20 {
      clock.advance(by: 10)
      try LayoutCache.$caller.withValue(number == 20 ? "shop" : "") {
        try cache.setLayout(layout, to: configuration(columns: number))
        // It is set already.
        clock.advance(by: 1)
        try cache.setLayout(layout, to: configuration(columns: number))
      }
    }
    #expect(try columns() == (5...20).reversed())
    let history = try cache.layoutHistory(of: layout)
    #expect(history.map(\.who) == ["shop"] + Array(repeating: nil, count: 15))
    #expect(history.map(\.millisecondsSince1970) == (5...20).reversed().map { 999 + 11 * $0 })
  }

  @Test func theHistoryIsThatOfTheLayoutWhateverItsName() throws {
    for number in 1...2 { try cache.setLayout(layout, to: configuration(columns: number)) }
    try cache.renameLayout(layout, to: "small")
    #expect(try columns("small") == [2, 1])
    try cache.setLayout(layout, to: configuration(columns: 9))
    #expect(try columns() == [9])
    try cache.removeLayout(LayoutID("small", of: "feed"))
    #expect(throws: LayoutCacheError.self) { try columns("small") }
    try cache.setLayout(LayoutID("small", of: "feed"), to: configuration(columns: 3))
    #expect(try columns("small") == [3])
    #expect(try cache.verify().problems == [])
  }

  @Test func restoringTwiceReturnsToThePresentConfiguration() throws {
    for number in 1...2 { try cache.setLayout(layout, to: configuration(columns: number)) }
    try cache.prepare(layout)
    let result = try cache.read(layout) { $0.incarnation }
    #expect(
      try cache.restorePreviousConfiguration(of: layout).configuration.section.columns == 1)
    #expect(try columns() == [1, 2, 1])
    // The result of that configuration is still there.
    #expect(try cache.restorePreviousConfiguration(of: layout).preparedRevision == 1)
    #expect(try columns() == [2, 1, 2, 1])
    #expect(try cache.read(layout) { $0.incarnation } == result)
  }

  @Test func aLayoutWithoutAPreviousConfigurationIsNotChanged() throws {
    try cache.setLayout(layout, to: configuration(columns: 1))
    for (name, code) in [("phone", "noPreviousConfiguration"), ("none", "noSuchLayout")] {
      #expect {
        try cache.restorePreviousConfiguration(of: LayoutID(name, of: "feed"))
      } throws: {
        let error = $0 as? LayoutCacheError
        return error?.code.name == code && error?.category == .notFound
      }
    }
    #expect(try columns() == [1])
  }

  @Test func theHistoryOfAVariantIsThatOfItsLayout() throws {
    let any = LayoutID("any", of: "feed")
    for number in 1...2 {
      try cache.setLayout(any, to: configuration(columns: number, container: "\"widths\":{}"))
      try cache.read(LayoutID("any@320", of: "feed")) { _ in }
    }
    #expect(try columns("any@320") == [2, 1] && columns("any") == [2, 1])
    #expect(throws: LayoutCacheError.self) {
      try cache.restorePreviousConfiguration(of: LayoutID("any@320", of: "feed"))
    }
    try cache.restorePreviousConfiguration(of: any)
    #expect(
      try cache.layout(LayoutID("any@320", of: "feed")).configuration.section.columns == 1)
  }
}
