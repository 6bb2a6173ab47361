import CollectionLayout
import Foundation
import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

@testable import TimelineExample

/// Kinds that a library's user brings along: what happens where they are not
/// registered, refuse their options, break limits, change, or are damaged.
@Suite struct CustomKindTests {
  private static let stack = #"{"container":{"width":300},"section":{"kind":"stack"}}"#

  /// A database with a section of three items, of lengths 10, 20 and 30.
  private func feed(_ configuration: String = stack) throws -> TestFeed {
    try TestFeed(
      [OracleSection("s", sizes: [(5, 10), (5, 20), (5, 30)])], configuration: configuration)
  }

  private func frames(_ cache: LayoutCache, layout: String = "layout") throws -> [Rect] {
    try cache.read(LayoutID(layout, of: "feed")) { snapshot in
      try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
        .map(\.frame)
    }
  }

  // MARK: - Registration

  @Test func aLayoutOfAKindThatIsNotRegisteredIsRefusedAndNamed() throws {
    let feed = try feed()
    let before = try frames(feed.cache)
    try feed.cache.close()
    let cache = try LayoutCache(path: feed.path)
    #expect {
      try frames(cache)
    } throws: { error in
      (error as? LayoutCacheError)?.category == .input
        && "\(error)".hasPrefix("the layout is refused: 'stack' is not one of 'waterfall', ")
        && "\(error)".hasSuffix("registers them as `sectionLayouts`")
    }
    let inspection = try cache.inspect(dataset: "feed").layouts
    #expect(inspection.map(\.name) == ["layout"])
    #expect(inspection.first?.tree.elementCount == 1)
    #expect(inspection.first?.contentSize == nil)
    #expect(throws: LayoutCacheError.self) { try cache.prepare(LayoutID("layout", of: "feed")) }
    // All that does not need the kind goes on.
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
    #expect(try frames(cache, layout: "column").count == 3)
    let item = try Item(key: "d", width: 5, height: 40)
    try cache.update("feed", with: [.insert([item], at: .after("s-0"))], preparing: .upToDate)
    #expect(try frames(cache, layout: "column").count == 4)
    let report = try cache.verify()
    #expect(report.problems.map(\.place) == ["layout layout of dataset feed"])
    #expect(report.problems.allSatisfy { $0.detail.contains("'stack'") })
    try cache.close()
    // Whoever knows the kind goes on with what is stored.
    let knowing = try LayoutCache(path: feed.path, sectionLayouts: TestKinds.all)
    let after = try frames(knowing)
    #expect(before.map(\.minY.points) == [0, 10, 30])
    #expect(after.map(\.minY.points) == [0, 10, 50, 70])
    #expect(try knowing.verify().problems.isEmpty)
  }

  @Test func aLayoutOfAKindThatIsNotRegisteredCanBeRemovedAndReplaced() throws {
    let feed = try feed()
    _ = try frames(feed.cache)
    let cache = try LayoutCache(path: feed.path)
    try cache.setLayout(
      LayoutID("layout", of: "feed"),
      to: ConfigurationText.decode(#"{"container":{"width":300},"section":{"columns":1}}"#))
    #expect(try frames(cache).count == 3)
    // The cache that had the old configuration in use sees the new one.
    #expect(try frames(feed.cache) == frames(cache))
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

  // MARK: - Options

  @Test(arguments: [
    (
      #"{"kind":"timeline","options":{"gap":-1}}"#,
      "the layout is refused: a timeline's gap is a number, at least 0 (in section.options)"
    ),
    (
      #"{"kind":"timeline","options":{"gap":"wide"}}"#,
      "the layout is refused: a timeline's gap is a number, at least 0 (in section.options)"
    ),
    (
      #"{"kind":"timeline","options":{"gpa":1}}"#,
      "the layout is refused: a timeline has no option 'gpa' (in section.options)"
    ),
    (
      #"{"kind":"timeline","options":{"gap":300}}"#,
      "the layout is refused: a gap of 300 leaves no room for cards (in section.options)"
    ),
    (
      #"{"kind":"stack","options":{"gap":2000}}"#,
      "the layout is refused: gap of a stack is 2000; the limit is 1000 (in section.options)"
    ),
  ])
  func optionsThatAKindRefusesAreRefusedInItsWords(section: String, message: String) throws {
    let feed = try feed()
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
    // The layout is as it was.
    #expect(try frames(feed.cache).count == 3)
  }

  // MARK: - Limits

  /// A rule that places items of span 7 as its options say, and others in a stack.
  private struct Rogue: SectionLayout {
    static let kind = "rogue"
    private let options: [String: ConfigurationValue]

    init(options: [String: ConfigurationValue], in space: SectionSpace) { self.options = options }

    private func units(_ name: String, _ standard: Int64) -> Length {
      Length(units: options[name]?.number.map { Int64($0) * 64 } ?? standard)
    }

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      let size = item.size
      guard item.columnSpan == 7 else {
        return ItemPlacement(frame: Rect(origin: .zero, size: size), advance: size.height)
      }
      if let count = options["state"]?.number { state = Array(repeating: 1, count: Int(count)) }
      return ItemPlacement(
        frame: Rect(
          x: units("x", 0), y: units("y", 0), width: units("width", size.width.units),
          height: units("height", size.height.units)),
        advance: units("advance", size.height.units),
        zIndex: options["zIndex"]?.number.map { Int($0) } ?? 0,
        alpha: options["alpha"]?.number ?? 1)
    }
  }

  private static let breaches = [
    (#"{"width":1000001}"#, "width of an item of kind 'rogue' is 1000001; the limit is 1000000"),
    (#"{"width":-1}"#, "width of an item of kind 'rogue' is -1; the least is 0"),
    (#"{"height":1000001}"#, "height of an item of kind 'rogue' is 1000001; the limit is 1000000"),
    (#"{"height":-1}"#, "height of an item of kind 'rogue' is -1; the least is 0"),
    (#"{"advance":-1}"#, "advance of an item of kind 'rogue' is -1; the least is 0"),
    (
      #"{"advance":16000001}"#,
      "advance of an item of kind 'rogue' is 16000001; the limit is 16000000"
    ),
    (#"{"x":-16000001}"#, "x of an item of kind 'rogue' is -16000001; the least is -16000000"),
    (#"{"y":16000001}"#, "y of an item of kind 'rogue' is 16000001; the limit is 16000000"),
    (
      #"{"zIndex":2147483647}"#,
      "z-index of an item of kind 'rogue' is 2147483647; the limit is 2147483646"
    ),
    (#"{"alpha":-0.5}"#, "alpha of an item of kind 'rogue' is -0.5; the least is 0"),
    (#"{"state":65}"#, "state count of an item of kind 'rogue' is 65; the limit is 64"),
    (#"{"y":-31}"#, "start in the content of an item of kind 'rogue' is -1; the least is 0"),
  ]

  private func rogueFeed(_ options: String) throws -> TestFeed {
    try TestFeed(
      [OracleSection("s", sizes: [(5, 10), (5, 20)])],
      configuration:
        #"{"container":{"width":300},"section":{"kind":"rogue","options":\#(options)}}"#,
      kinds: [Rogue.self])
  }

  private func isRefusal(_ error: any Error, _ message: String) -> Bool {
    guard case .cannotLayOut(LayoutID("layout", of: "feed"), _) = (error as? LayoutCacheError)?.code
    else {
      return false
    }
    return "\(error)"
      == "layout 'layout' of dataset 'feed' cannot be laid out: item 'rogue': \(message)"
  }

  @Test(arguments: breaches)
  func aPlacementBeyondALimitLeavesTheLayoutBehind(options: String, message: String) throws {
    let feed = try rogueFeed(options)
    let cache = feed.cache
    let before = try frames(cache)
    let rogue = try Item(key: "rogue", width: 5, height: 5, columnSpan: 7)
    let commit = try cache.update("feed", with: [.insert([rogue], at: .end(section: "s"))])
    #expect(commit.layouts.isEmpty)
    #expect(commit.behind.map(\.layout) == ["layout"])
    #expect(commit.behind.map(\.code) == ["cannotLayOut"])
    #expect(commit.behind.first?.reason.hasSuffix("item 'rogue': \(message)") == true)
    #expect { try frames(cache) } throws: { isRefusal($0, message) }
    let report = try cache.verify()
    #expect(report.problems.isEmpty)
    #expect(report.itemCount == 3)
    try cache.update("feed", with: [.delete(keys: ["rogue"])])
    #expect(try frames(cache) == before)
  }

  @Test(arguments: breaches)
  func aPlacementBeyondALimitIsRefusedFromScratch(options: String, message: String) throws {
    let feed = try rogueFeed(options)
    let cache = feed.cache
    let rogue = try Item(key: "rogue", width: 5, height: 5, columnSpan: 7)
    // No layout is in use: the dataset may hold what one of them can't place.
    try cache.update("feed", with: [.insert([rogue], at: .end(section: "s"))], preparing: .none)
    #expect { try frames(cache) } throws: { isRefusal($0, message) }
    #expect(try cache.layout(LayoutID("layout", of: "feed")).preparedRevision == nil)
    #expect(try cache.verify().problems.isEmpty)
    // What is in its way can be taken out of it.
    try cache.update("feed", with: [.delete(keys: ["rogue"])])
    #expect(try frames(cache).count == 2)
  }

  @Test(arguments: breaches)
  func aPlacementBeyondALimitIsRefusedWhenALayoutCatchesUp(
    options: String, message: String
  ) throws {
    let feed = try rogueFeed(options)
    _ = try frames(feed.cache)
    try feed.cache.close()
    let writer = try LayoutCache(path: feed.path)
    let rogue = try Item(key: "rogue", width: 5, height: 5, columnSpan: 7)
    try writer.update("feed", with: [.insert([rogue], at: .end(section: "s"))], preparing: .none)
    let reader = try LayoutCache(path: feed.path, sectionLayouts: [Rogue.self])
    #expect { try frames(reader) } throws: { isRefusal($0, message) }
    #expect {
      try reader.prepare(LayoutID("layout", of: "feed"))
    } throws: { isRefusal($0, message) }
    try writer.update("feed", with: [.delete(keys: ["rogue"])], preparing: .none)
    #expect(try frames(reader).count == 2)
    #expect(try reader.verify().problems.isEmpty)
  }

  @Test func aDeletionThatPutsAnItemBeforeTheContentLeavesTheLayoutBehind() throws {
    let feed = try rogueFeed(#"{"y":-15}"#)
    let cache = feed.cache
    let rogue = try Item(key: "rogue", width: 5, height: 5, columnSpan: 7)
    try cache.update("feed", with: [.insert([rogue], at: .end(section: "s"))])
    #expect(try frames(cache).map(\.minY.points) == [0, 10, 15])
    let commit = try cache.update("feed", with: [.delete(keys: ["s-1"])])
    #expect(commit.behind.map(\.layout) == ["layout"])
    #expect { try frames(cache) } throws: {
      isRefusal($0, "start in the content of an item of kind 'rogue' is -5; the least is 0")
    }
    // What makes room for it brings the layout back.
    try cache.update(
      "feed", with: [.insert([Item(key: "room", width: 5, height: 5)], at: .before("s-0"))])
    #expect(try frames(cache).map(\.minY.points) == [0, 5, 0])
    #expect(try cache.verify().problems.isEmpty)
  }

  // MARK: - Another rule than before

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

  @Test func aRuleThatPlacesAnItemOtherwiseThanBeforeIsReported() throws {
    let feed = try feed()
    let before = try frames(feed.cache)
    try feed.cache.close()
    let cache = try LayoutCache(path: feed.path, sectionLayouts: [Shorter.self])
    #expect(try frames(cache) == before, "what is stored stands")
    let problems = try cache.verify().problems
    #expect(problems.map(\.place) == ["layout layout of dataset feed, section s"])
    #expect(problems.map(\.detail) == ["item 2 is not where its kind places it"])
    try cache.update("feed", with: [.invalidate(layout: "layout", everything: true)])
    #expect(try frames(cache).map(\.size.height.points) == [10, 20, 25])
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

  @Test func aRuleThatRefusesWhatItTookBeforeHindersNothingElse() throws {
    let feed = try feed()
    _ = try frames(feed.cache)
    try feed.cache.close()
    let cache = try LayoutCache(path: feed.path, sectionLayouts: [Refusing.self])
    #expect {
      try frames(cache)
    } throws: { error in
      (error as? LayoutCacheError)?.category == .input
        && "\(error)" == "the layout is refused: no stacks today (in section.options)"
    }
    try cache.update("feed", with: [.delete(keys: ["s-0"])], preparing: .upToDate)
    #expect(try cache.verify().problems.map(\.place) == ["layout layout of dataset feed"])
  }

  // MARK: - Damage

  @Test(arguments: PropertyRun.seeds)
  func damagedNodesOfEveryKindAreLaidOutAnew(seed: UInt64) throws {
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
    let before = try frames(feed.cache)
    try feed.cache.close()
    for _ in 0..<PropertyRun.steps(4) {
      let byte = try flipByte(feed.path, using: &generator)
      let cache = try LayoutCache(path: feed.path, sectionLayouts: TestKinds.all)
      #expect(try !cache.verify().problems.isEmpty, "seed \(seed), \(byte)")
      #expect(try frames(cache) == before, "seed \(seed), \(byte)")
      #expect(try cache.verify().problems.isEmpty, "seed \(seed), \(byte)")
      try cache.close()
    }
  }

  /// Flips a bit in a node of the layout, and says where.
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
