import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

@Suite struct TransitionTests {
  @Test func aChangeOfTheBatchIsInsertedOrDeleted() throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: 6))],
      configuration: #"""
        {"container":{"width":100,"height":300},
         "section":{"columns":1,"header":20,"background":{"kind":"card"}}}
        """#)
    let rect = Rect(x: 0, y: 0, width: 100, height: 300)
    let before = try test.keptSnapshot()
    try test.cache.update(
      "feed",
      with: [
        .delete(keys: ["s-0"]),
        .insert([try Item(key: "new", width: 1, height: 1)], at: .after("s-1")),
        .insertSection(key: "t", index: 0),
      ])
    let transition = try test.read { try before.transition(to: $0, in: rect) }
    #expect(
      transition.appearing.map(\.final.description) == [
        "header at 0 (x 0, y 0, 100 x 20)", "cell 'new' at 1.1 (x 0, y 140, 100 x 100)",
      ])
    #expect(transition.appearing.map(\.change) == [.insert, .insert])
    #expect(transition.appearing.map(\.initial.alpha) == [0, 0])
    #expect(
      transition.disappearing.map(\.initial.description) == [
        "cell 's-0' at 0.0 (x 0, y 20, 100 x 100)"
      ])
    #expect(transition.disappearing.map(\.change) == [.delete])
    #expect(
      transition.moving.map { "\($0.initial) -> \($0.final.frame)" } == [
        "decoration 'card' at 0 (x 0, y 20, 100 x 600) -> (x 0, y 40, 100 x 600)",
        "header at 0 (x 0, y 0, 100 x 20) -> (x 0, y 20, 100 x 20)",
        "cell 's-1' at 0.1 (x 0, y 120, 100 x 100) -> (x 0, y 40, 100 x 100)",
        "cell 's-2' at 0.2 (x 0, y 220, 100 x 100) -> (x 0, y 240, 100 x 100)",
      ])
    let after = try test.keptSnapshot()
    #expect(
      try after.indexPaths(ofSupplementary: .header, missingIn: before) == [.init(section: 0)])
    #expect(try before.indexPaths(ofSupplementary: .header, missingIn: after) == [])
    // The background of an empty section.
    #expect(try after.indexPaths(ofDecoration: "card", missingIn: before) == [.init(section: 0)])
    #expect(try before.indexPaths(ofDecoration: "card", missingIn: after) == [])
    let middle = transition.attributes(at: 0.5).map { "\($0.frame) \($0.alpha)" }
    #expect(
      middle == [
        "(x 0, y 30, 100 x 600) 1.0", "(x 0, y 20, 100 x 100) 0.5", "(x 0, y 10, 100 x 20) 1.0",
        "(x 0, y 80, 100 x 100) 1.0", "(x 0, y 230, 100 x 100) 1.0", "(x 0, y 0, 100 x 20) 0.5",
        "(x 0, y 140, 100 x 100) 0.5",
      ])
    #expect(throws: LayoutCacheError.self) {
      try test.read { try before.transition(to: $0, in: rect, limit: 3) }
    }
  }

  /// Cells that slide in from the leading edge, and out beyond the trailing one.
  private struct Sliding: SectionLayout {
    static let kind = "sliding"
    private let width: Length

    init(options: [String: ConfigurationValue], in space: SectionSpace) {
      width = space.container.width
    }

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      ItemPlacement(frame: Rect(x: 0, y: 0, width: width, height: 50), advance: 50)
    }

    func initialAttributes(forAppearing element: LayoutAttributes) -> LayoutAttributes {
      var initial = element
      initial.untransformedFrame.origin.x = -width
      initial.indexPath = .init(section: 99, item: 99)
      return initial
    }

    func finalAttributes(forDisappearing element: LayoutAttributes) -> LayoutAttributes {
      var final = element
      final.untransformedFrame.origin.x = width
      return final
    }
  }

  @Test func aCustomKindChoosesInitialAndFinalAttributes() throws {
    for isMirrored in [false, true] {
      let test = try TestFeed(
        [OracleSection("s", sizes: [(1, 1), (1, 1)])],
        configuration:
          #"{"container":{"width":80},"section":{"kind":"sliding"},"layoutDirection":""#
          + (isMirrored ? "rightToLeft\"}" : "leftToRight\"}"), kinds: [Sliding.self])
      let before = try test.keptSnapshot()
      try test.cache.update(
        "feed",
        with: [
          .delete(keys: ["s-0"]),
          .insert([try Item(key: "new", width: 1, height: 1)], at: .end(section: "s")),
        ])
      let transition = try test.read {
        try before.transition(to: $0, in: Rect(x: 0, y: 0, width: 80, height: 400))
      }
      let appearing = try #require(transition.appearing.first)
      #expect(appearing.initial.frame.minX == (isMirrored ? 80 : -80))
      #expect(appearing.initial.indexPath == appearing.final.indexPath)
      #expect(appearing.final.frame.minX == 0)
      let disappearing = try #require(transition.disappearing.first)
      #expect(disappearing.final.frame.minX == (isMirrored ? -80 : 80))
    }
  }

  /// Elements that come from above and leave at half their opacity.
  private struct Drop: AppearanceRule {
    static let kind = "drop"
    let height: Length

    init(options: [String: ConfigurationValue]) {
      height = .points(options["height"]?.number ?? 10)
    }

    func initialAttributes(forAppearing element: LayoutAttributes) -> LayoutAttributes {
      var initial = element
      initial.untransformedFrame.origin.y -= height
      return initial
    }

    func finalAttributes(forDisappearing element: LayoutAttributes) -> LayoutAttributes {
      var final = element
      final.alpha = 0.5
      return final
    }
  }

  /// The initial frame of an inserted cell, and the final frame and alpha of a deleted one.
  @Test(arguments: [
    (#""fade""#, "(x 0, y 100, 100 x 100) 0.0", "(x 0, y 0, 100 x 100) 0.0"),
    (#""slide""#, "(x -100, y 100, 100 x 100) 1.0", "(x -100, y 0, 100 x 100) 1.0"),
    (#""scale""#, "(x 50, y 150, 0 x 0) 1.0", "(x 50, y 50, 0 x 0) 1.0"),
    (#"{"kind":"drop"}"#, "(x 0, y 90, 100 x 100) 1.0", "(x 0, y 0, 100 x 100) 0.5"),
    (
      #"{"kind":"drop","options":{"height":7.5}}"#, "(x 0, y 92.5, 100 x 100) 1.0",
      "(x 0, y 0, 100 x 100) 0.5"
    ),
  ])
  func theAppearanceOfASectionChoosesBothEnds(option: String, initial: String, final: String) throws
  {
    let cache = try LayoutCache.temporary(appearanceRules: [Drop.self])
    let layout = LayoutID("layout", of: "feed")
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for key in ["a", "b"] { try importer.add(Item(key: key, width: 1, height: 1), section: "s") }
    }
    let section = #"{"columns":1,"appearance":\#(option)}"#
    let text = #"{"container":{"width":100},"section":{},"sections":{"s":\#(section)}}"#
    try cache.setLayout(layout, to: ConfigurationText.decode(text))
    let before = try cache.read(layout) { $0 }
    let new = try Item(key: "new", width: 1, height: 1)
    try cache.update("feed", with: [.delete(keys: ["a"]), .insert([new], at: .end(section: "s"))])
    let transition = try cache.read(layout) {
      try before.transition(to: $0, in: Rect(x: 0, y: 0, width: 100, height: 300))
    }
    #expect(transition.appearing.map { "\($0.initial.frame) \($0.initial.alpha)" } == [initial])
    #expect(transition.disappearing.map { "\($0.final.frame) \($0.final.alpha)" } == [final])
  }

  @Test(arguments: [
    (#""fde""#, "did you mean 'fade'"), (#"{"kind":"rop"}"#, "did you mean 'drop'"),
    (#"{"kind":"drop","height":1}"#, "unknown member 'height'"), ("1", "must be a string"),
  ])
  func anInvalidAppearanceIsRejectedWithTheReason(option: String, reason: String) throws {
    let cache = try LayoutCache.temporary(appearanceRules: [Drop.self])
    _ = try cache.createDataset("feed")
    let error = #expect(throws: (any Error).self) {
      try cache.setLayout(
        LayoutID("layout", of: "feed"),
        to: ConfigurationText.decode(
          #"{"container":{"width":100},"section":{"appearance":\#(option)}}"#))
    }
    #expect(error.map { "\($0)".contains(reason) } ?? false, "\(error.map { "\($0)" } ?? "")")
  }
}
