import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// A custom waterfall kind: its inputs, its results, and their effects.
@Suite struct WaterfallKindTests {
  private static let members = #""columns":2,"columnSpacing":10,"lineSpacing":5"#
  private let directory: TemporaryDirectory
  private let cache: LayoutCache
  private let layout = LayoutID("layout", of: "feed")

  /// A section of three items of 30 by 30 points.
  init() throws {
    directory = try TemporaryDirectory()
    cache = try LayoutCache(
      path: directory.path(of: "feed.sqlite"), waterfallLayouts: [CaptionedKind.self])
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for key in ["a", "b", "c"] {
        try importer.add(Item(key: key, width: 30, height: 30), section: "s")
      }
    }
  }

  private func set(_ section: String, container: String = #"{"width":110}"#) throws {
    try cache.setLayout(
      layout, to: ConfigurationText.decode(#"{"container":\#(container),"section":\#(section)}"#))
  }

  private func setCaptioned(
    _ caption: Int, _ more: String = "", container: String = #"{"width":110}"#
  ) throws {
    try set(
      """
      {"kind":"captioned","options":{"caption":\(caption)},\(Self.members)\(more)}
      """, container: container)
  }

  private func lengths(by cache: LayoutCache? = nil) throws -> [Double] {
    try (cache ?? self.cache).frames().map(\.size.height.points)
  }

  @Test func lengthsComeFromTheKindWithinTheSectionsBounds() throws {
    try setCaptioned(20)
    #expect(try lengths() == [70, 70, 70])
    try setCaptioned(20, #","maximumLength":60"#)
    #expect(try lengths() == [60, 60, 60])
    try setCaptioned(20, #","minimumLength":90"#)
    #expect(try lengths() == [90, 90, 90])
    // Too short and too long by far; over both columns the gap counts too.
    try setCaptioned(20)
    try cache.update(
      "feed",
      with: [
        .resize(key: "a", size: Size(width: 30, height: 13)),
        .resize(key: "b", size: Size(width: 30, height: 17)),
        .resize(key: "c", size: Size(width: 45, height: 45)),
      ])
    #expect(try lengths() == [1 / 64, 1_000_000, 130])
    #expect(try cache.frames().map(\.size.width.points) == [50, 50, 110])
    #expect(try cache.verify().problems.isEmpty)
  }

  /// Next to a dataset of the built-in kind, whose items have the lengths and spans of the rule.
  @Test func columnsAfterChangesAreThoseOfTheBuiltInKind() throws {
    func sizes(_ height: Double, isWide: Bool) -> (own: Size, natural: Size) {
      let own = Size(width: isWide ? 45 : 30, height: .points(height))
      let width: Length = isWide ? 110 : 50
      let length = Length(units: width.units * own.height.units / own.width.units) + 20
      return (own, Size(width: own.width, height: length))
    }
    try setCaptioned(20, #","maximumSkew":30"#)
    var keys = ["a", "b", "c"]
    _ = try cache.importItems(into: "plain", mode: .create) { importer in
      for key in keys {
        let size = sizes(30, isWide: false).natural
        try importer.add(Item(key: key, size: size, columnSpan: 1), section: "s")
      }
    }
    let plain = LayoutID("layout", of: "plain")
    let text = #"{"kind":"waterfall","itemLength":"natural",\#(Self.members),"maximumSkew":30}"#
    try cache.setLayout(
      plain, to: ConfigurationText.decode(#"{"container":{"width":110},"section":\#(text)}"#))
    var generator = SeededGenerator(seed: 5)
    for step in 0..<80 {
      let isWide = generator.oneIn(4)
      let size = sizes(Double(Int.random(in: 20...60, using: &generator)), isWide: isWide)
      let key = keys.randomElement(using: &generator)!
      if step % 4 < 2 { keys.append("n\(step)") }
      for (dataset, size, span) in [("feed", size.own, 1), ("plain", size.natural, isWide ? 2 : 1)]
      {
        let operation: BatchOperation =
          switch step % 4 {
          case 2: .resize(key: key, size: size, columnSpan: span)
          case 3: .move(key: key, to: .index(step % keys.count, section: "s"))
          default:
            .insert([Item(key: "n\(step)", size: size, columnSpan: span)], at: .before(key))
          }
        try cache.update(dataset, with: [operation])
      }
      let found = try cache.read(layout) { try OracleElement.all(of: $0) }
      #expect(try found == cache.read(plain) { try OracleElement.all(of: $0) }, "step \(step)")
    }
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func measuredLengthsReplaceThoseOfTheKind() throws {
    try setCaptioned(20, #","maximumLength":60"#)
    try cache.update("feed", with: [.prefer(layout: "layout", key: "b", length: 65)])
    #expect(try lengths() == [60, 65, 60])
    try cache.update("feed", with: [.resize(key: "b", size: Size(width: 30, height: 3))])
    #expect(try lengths() == [60, 25, 60])
  }

  @Test func onlyOtherOptionsLayTheSectionOutAgain() throws {
    try setCaptioned(20)
    try cache.prepare(layout)
    let before = try cache.read(layout) { $0.incarnation }
    try setCaptioned(20, container: #"{"width":110,"height":500}"#)
    #expect(
      try cache.read(layout) {
        try !$0.shouldInvalidateLayout(forBoundsChange: Size(width: 110, height: 900))
      })
    #expect(try lengths() == [70, 70, 70])
    try setCaptioned(30)
    #expect(try lengths() == [80, 80, 80])
    #expect(try cache.read(layout) { $0.incarnation } != before)
    #expect(try cache.verify().problems.isEmpty)
  }

  private struct Taken: WaterfallSectionLayout {
    static let kind = "stack"
    init(options: [String: ConfigurationValue]) {}
    func length(of item: LayoutItem, width: Length) -> Length { width }
  }

  @Test func aKindMustNotUseTheNameOfAnother() async {
    await #expect(processExitsWith: .failure) {
      _ = CustomKinds([TestKinds.Stack.self], waterfalls: [Taken.self])
    }
    await #expect(processExitsWith: .success) {
      _ = CustomKinds([TestKinds.Pile.self], waterfalls: [Taken.self])
    }
  }

  /// A rule with another length than before.
  private struct Longer: WaterfallSectionLayout {
    static let kind = "captioned"
    init(options: [String: ConfigurationValue]) {}
    func length(of item: LayoutItem, width: Length) -> Length { 99 }
  }

  @Test func aRuleWithAChangedLengthIsReported() throws {
    try setCaptioned(20)
    #expect(try lengths() == [70, 70, 70])
    try cache.close()
    let other = try LayoutCache(
      path: directory.path(of: "feed.sqlite"), waterfallLayouts: [Longer.self])
    #expect(try lengths(by: other) == [70, 70, 70], "the stored result is kept")
    #expect(try other.verify().problems.map(\.detail) == ["item 0 has length 70 instead of 99"])
    try other.update("feed", with: [.invalidate(layout: "layout", everything: true)])
    #expect(try lengths(by: other) == [99, 99, 99])
    #expect(try other.verify().problems.map(\.detail) == [])
  }
}
