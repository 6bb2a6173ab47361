import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// Sections of custom kinds whose rule has changed, or whose nodes are damaged.
@Suite struct CustomKindDamageTests {
  private struct Shorter: SectionLayout {
    static let kind = "stack"
    init(options: [String: ConfigurationValue], in space: SectionSpace) {}
    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      let width = Length(units: 300 * 64)
      let height = min(item.size.height, Length(units: 25 * 64))
      return ItemPlacement(
        frame: Rect(x: .zero, y: .zero, width: width, height: height), advance: height)
    }
  }

  @Test func aRuleThatPlacesAnItemDifferentlyIsReported() throws {
    let feed = try TestFeed.stack()
    let before = try feed.cache.frames()
    try feed.cache.close()
    let cache = try LayoutCache(path: feed.path, sectionLayouts: [Shorter.self])
    #expect(try cache.frames() == before, "the stored result is kept")
    let problems = try cache.verify().problems
    #expect(problems.map(\.place) == ["layout layout of dataset feed, section s"])
    #expect(problems.map(\.detail) == ["item 2 differs from its kind's placement"])
    try cache.update("feed", with: [.invalidate(layout: "layout", everything: true)])
    #expect(try cache.frames().map(\.size.height.points) == [10, 20, 25])
    #expect(try cache.verify().problems.isEmpty)
  }

  private struct Refusing: SectionLayout {
    static let kind = "stack"
    struct Refusal: Error, CustomStringConvertible { var description = "no stacks today" }
    init(options: [String: ConfigurationValue], in space: SectionSpace) throws { throw Refusal() }
    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      ItemPlacement(frame: Rect(origin: .zero, size: item.size), advance: .zero)
    }
  }

  @Test func aRuleThatRejectsAStoredItemAffectsNothingElse() throws {
    let feed = try TestFeed.stack()
    _ = try feed.cache.frames()
    try feed.cache.close()
    let cache = try LayoutCache(path: feed.path, sectionLayouts: [Refusing.self])
    #expect {
      try cache.frames()
    } throws: { error in
      (error as? LayoutCacheError)?.category == .input
        && "\(error)" == "invalid layout configuration: no stacks today (in section.options)"
    }
    try cache.update("feed", with: [.delete(keys: ["s-0"])], preparing: .upToDate)
    #expect(try cache.verify().problems.map(\.place) == ["layout layout of dataset feed"])
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func damagedNodesOfEveryKindAreLaidOutAgain(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sections = ["timeline", "counter", "flow"].map { key in
      OracleSection(
        key,
        sizes: (0..<200).map { _ in
          (
            Double(Int.random(in: 20...90, using: &generator)),
            Double(Int.random(in: 20...90, using: &generator))
          )
        })
    }
    let feed = try TestFeed(
      sections,
      configuration: #"""
        {"container":{"width":300},"section":{"kind":"flow"},
         "sections":{"timeline":{"kind":"timeline"},"counter":{"kind":"counter"}}}
        """#)
    let before = try feed.cache.frames()
    try feed.cache.close()
    for _ in PropertyRun.each(seed, steps: 4) {
      let byte = try flipByte(feed.path, using: &generator)
      let cache = try LayoutCache(path: feed.path, sectionLayouts: TestKinds.all)
      #expect(try !cache.verify().problems.isEmpty, "\(byte)")
      #expect(try cache.frames() == before, "\(byte)")
      #expect(try cache.verify().problems.isEmpty, "\(byte)")
      try cache.close()
    }
  }

  /// Flips a bit in a node of the layout, and returns its position.
  private func flipByte(_ path: String, using generator: inout SeededGenerator) throws -> String {
    let database = try RawDatabase(path: path)
    let rows = try database.rows(
      """
      SELECT id, payload FROM nodes
      WHERE id >> 38 = (SELECT space FROM layouts) ORDER BY id
      """)
    let row = rows.randomElement(using: &generator)!
    let id = try #require(row[0].number)
    var damaged = try #require(row[1].bytes)
    let place = Int.random(in: 0..<damaged.count, using: &generator)
    damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    try database.execute(
      "UPDATE nodes SET payload = ? WHERE id = ?", [.bytes(damaged), .number(id)])
    return "node \(id), byte \(place)"
  }
}
