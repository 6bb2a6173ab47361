import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import Testing

@testable import LayoutCache

/// Custom kinds: behaviour if they are not registered, or reject their options.
@Suite struct CustomKindTests {
  @Test func aLayoutOfAnUnregisteredKindIsRejectedAndNamed() throws {
    let feed = try TestFeed.stack()
    let before = try feed.cache.frames()
    try feed.cache.close()
    let cache = try LayoutCache(path: feed.path)
    #expect {
      try cache.frames()
    } throws: { error in
      (error as? LayoutCacheError)?.category == .input
        && "\(error)".hasPrefix("invalid layout configuration: 'stack' is not one of 'waterfall', ")
        && "\(error)".hasSuffix("custom kinds must be registered when the database is opened")
    }
    let inspection = try cache.inspect(dataset: "feed").layouts
    #expect(inspection.map(\.name) == ["layout"])
    #expect(inspection.first?.tree.elementCount == 1)
    #expect(inspection.first?.contentSize == nil)
    #expect(throws: LayoutCacheError.self) { try cache.prepare(LayoutID("layout", of: "feed")) }
    // Calls that do not need the kind still work.
    #expect(try cache.layouts(of: "feed").map(\.name) == ["layout"])
    #expect(
      try cache.layout(LayoutID("layout", of: "feed")).configuration.section.kind
        == .custom("stack"))
    #expect(throws: LayoutCacheError.self) {
      try cache.setLayout(
        LayoutID("another", of: "feed"),
        to: cache.layout(LayoutID("layout", of: "feed")).configuration)
    }
    try cache.setLayout(
      LayoutID("column", of: "feed"),
      to: ConfigurationText.decode(#"{"container":{"width":300},"section":{"columns":1}}"#))
    #expect(try cache.frames(of: "column").count == 3)
    let item = try Item(key: "d", width: 5, height: 40)
    try cache.update("feed", with: [.insert([item], at: .after("s-0"))], preparing: .upToDate)
    #expect(try cache.frames(of: "column").count == 4)
    let report = try cache.verify()
    #expect(report.problems.map(\.place) == ["layout layout of dataset feed"])
    #expect(report.problems.allSatisfy { $0.detail.contains("'stack'") })
    try cache.close()
    // A cache that has registered the kind uses the stored result.
    let knowing = try LayoutCache(path: feed.path, sectionLayouts: TestKinds.all)
    let after = try knowing.frames()
    #expect(before.map(\.minY.points) == [0, 10, 30])
    #expect(after.map(\.minY.points) == [0, 10, 50, 70])
    #expect(try knowing.verify().problems.isEmpty)
  }

  @Test func aLayoutOfAnUnregisteredKindCanBeRemovedAndReplaced() throws {
    let feed = try TestFeed.stack()
    _ = try feed.cache.frames()
    let cache = try LayoutCache(path: feed.path)
    try cache.setLayout(
      LayoutID("layout", of: "feed"),
      to: ConfigurationText.decode(#"{"container":{"width":300},"section":{"columns":1}}"#))
    #expect(try cache.frames().count == 3)
    // The cache that used the old configuration sees the new one.
    #expect(try feed.cache.frames() == cache.frames())
    try cache.removeLayout(LayoutID("layout", of: "feed"))
    #expect(try cache.layouts(of: "feed").isEmpty)
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func twoKindsOfOneNameTrap() async {
    await #expect(processExitsWith: .failure) {
      _ = CustomKinds([TestKinds.Stack.self, TestKinds.Pile.self, TestKinds.Stack.self])
    }
    await #expect(processExitsWith: .success) {
      _ = CustomKinds([TestKinds.Stack.self, TestKinds.Pile.self])
    }
  }

  private struct Grid: SectionLayout {
    static let kind = "grid"
    init(options: [String: ConfigurationValue], in space: SectionSpace) {}
    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      ItemPlacement(frame: Rect(origin: .zero, size: item.size), advance: .zero)
    }
  }

  @Test func aKindOfABuiltInNameTraps() async {
    await #expect(processExitsWith: .failure) { _ = CustomKinds([Grid.self]) }
  }

  @Test(arguments: [
    (
      #"{"kind":"timeline","options":{"gap":-1}}"#,
      "invalid layout configuration: a timeline's gap is a number, at least 0 (in section.options)"
    ),
    (
      #"{"kind":"timeline","options":{"gap":"wide"}}"#,
      "invalid layout configuration: a timeline's gap is a number, at least 0 (in section.options)"
    ),
    (
      #"{"kind":"timeline","options":{"gpa":1}}"#,
      "invalid layout configuration: a timeline has no option 'gpa' (in section.options)"
    ),
    (
      #"{"kind":"timeline","options":{"gap":300}}"#,
      "invalid layout configuration: a gap of 300 leaves no room for cards (in section.options)"
    ),
    (
      #"{"kind":"stack","options":{"gap":2000}}"#,
      "invalid layout configuration: gap of a stack is 2000; the limit is 1000 (in section.options)"
    ),
  ])
  func errorsOfAKindForItsOptionsAreReported(section: String, message: String) throws {
    let feed = try TestFeed.stack()
    #expect {
      try feed.set(#"{"container":{"width":300},"section":\#(section)}"#)
    } throws: { error in
      (error as? LayoutCacheError)?.category == .input && "\(error)" == message
    }
    #expect {
      try feed.set(#"{"container":{"width":300},"sections":{"s":\#(section)}}"#)
    } throws: { error in
      "\(error)" == message.replacing("section.options", with: "sections.s.options")
    }
    // The layout is unchanged.
    #expect(try feed.cache.frames().count == 3)
  }
}
