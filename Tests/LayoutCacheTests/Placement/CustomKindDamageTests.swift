import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
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
}
