import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// The distance up to which the log is kept and followed for layouts that are not requested.
@Suite struct LaggingLayoutTests {
  /// Items as long as their data states.
  private struct Told: SectionLayout {
    static let kind = "told"
    let reads: ItemDependencies = .data

    init(options: [String: ConfigurationValue], in space: SectionSpace) {}

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      let length = Length.points(item.data?["length"]?.number ?? 1)
      return ItemPlacement(
        frame: Rect(x: .zero, y: .zero, width: 10, height: length), advance: length)
    }
  }

  private static let columns = LayoutID("columns", of: "feed")
  private static let told = LayoutID("told", of: "feed")

  private func makeCache(itemCount: Int) throws -> LayoutCache {
    let cache = try LayoutCache.temporary(sectionLayouts: [Told.self])
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<itemCount {
        try importer.add(Item(key: "k\(number)", width: 3, height: Double(1 + number % 7)))
      }
    }
    for (layout, section) in [
      (Self.columns, KindExample.waterfall),
      (Self.told, KindExample(name: "", members: #""kind":"told""#)),
    ] {
      try cache.setLayout(layout, to: ConfigurationText.decode(section.configuration()))
      try cache.prepare(layout)
    }
    return cache
  }

  private func incarnation(_ layout: LayoutID, _ cache: LayoutCache) throws -> Incarnation {
    try cache.read(layout) { $0.resultIncarnation }
  }

  @Test func changesOfDataCountOnlyForLayoutsThatReadThem() throws {
    let cache = try makeCache(itemCount: 500)
    let before = try (incarnation(Self.columns, cache), incarnation(Self.told, cache))
    // 10,500 changes, of which 10,000 would be followed.
    for round in 0..<21 {
      let data = try ItemData(json: #"{"length":\#(round + 2)}"#)
      try cache.update("feed", with: (0..<500).map { .data(key: "k\($0)", data) }, preparing: .none)
    }
    #expect(try incarnation(Self.columns, cache) == before.0)
    #expect(try incarnation(Self.told, cache) != before.1)
    #expect(try cache.read(Self.told) { $0.contentSize.height } == .points(11_000))
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func theLogThatAnIdleLayoutHoldsIsBounded() throws {
    let cache = try makeCache(itemCount: 900)
    let before = try incarnation(Self.columns, cache)
    func logBytes() throws -> Int64 {
      try RawDatabase(path: cache.path).number("SELECT sum(length(payload)) FROM log") ?? 0
    }
    var most: Int64 = 0
    for round in 0..<14 {
      let text = String(repeating: "\(round % 10)", count: 4000)
      let data = try ItemData(json: #"{"text":"\#(text)"}"#)
      // With the previous data, 7 MiB in the log.
      try cache.update("feed", with: (0..<900).map { .data(key: "k\($0)", data) }, preparing: .none)
      most = max(most, try logBytes())
    }
    #expect(most < Int64(Budgets.keptLogBytes + 2 * Limits.batchBytesMax))
    #expect(most > Int64(Budgets.keptLogBytes / 2))
    #expect(try incarnation(Self.columns, cache) != before)
    #expect(try cache.verify().problems.isEmpty)
  }
}
