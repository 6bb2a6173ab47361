import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// Answers of one result in both layout directions.
@Suite struct DirectionTests {
  private static let layout = LayoutID("layout", of: "feed")
  private static let mirrored = LayoutID("mirrored", of: "feed")
  private static let axes = ["", #","scrollDirection":"horizontal""#]

  /// A feed with equal layouts in both directions.
  private func feed(_ kind: KindExample, _ axis: String) throws -> TestFeed {
    func text(_ rest: String) -> String {
      kind.configuration(
        extra: #","header":10,"pinsHeader":true,"inset":{"left":7,"top":2}"#, rest: axis + rest)
    }
    let test = try TestFeed(
      [.mixed("s", count: 30), .mixed("t", count: 8)],
      configuration: text(#","effect":{"kind":"scale"},"snap":"itemCenter""#))
    try test.cache.setLayout(
      Self.mirrored,
      to: ConfigurationText.decode(
        text(#","effect":{"kind":"scale"},"snap":"itemCenter","layoutDirection":"rightToLeft""#)))
    return test
  }

  @Test(arguments: KindExample.every, axes)
  func everyQueryIsAnsweredAsByALayoutOfTheDirection(_ kind: KindExample, axis: String) throws {
    let test = try feed(kind, axis)
    var generator = SeededGenerator(seed: 11)
    for (layout, other) in [(Self.layout, Self.mirrored), (Self.mirrored, Self.layout)] {
      let (own, its) = (try test.cache.read(layout) { $0 }, try test.cache.read(other) { $0 })
      let read = own.reading(its.layoutDirection)
      #expect(own.layoutDirection != its.layoutDirection && own.reading(nil) === own)
      #expect(read.layoutDirection == its.layoutDirection)
      #expect(read.reading(nil).layoutDirection == own.layoutDirection)
      let size = own.contentSize
      let rects = RandomRects(
        contentSize: UnitSize(width: size.width.units, height: size.height.units))
      for _ in 0..<12 {
        let rect = Rect(rects.next(using: &generator))
        let answers = try [read, its].map { snapshot -> [LayoutAttributes?] in
          var movement = try snapshot.beginMovement(of: ["s-1", "t-0"])
          try movement.update(to: rect.origin, visible: rect)
          let later = try movement.snapshot.transition(to: snapshot, in: rect)
          return try snapshot.elements(in: rect).elements
            + [
              snapshot.element(at: rect.origin, visible: rect), snapshot.attributes(forKey: "s-2"),
            ]
            + movement.elements(in: rect) + later.moving.flatMap { [$0.initial, $0.final] }
            + snapshot.prefetch(.after, visible: rect, length: 90).elements
        }
        #expect(answers[0] == answers[1], "\(kind) \(axis) \(rect)")
        let offsets = try [read, its].map { snapshot in
          [
            try snapshot.targetContentOffset(
              forProposed: rect.origin, velocity: ScrollVelocity(x: 1, y: 1)),
            try snapshot.contentOffset(keeping: rect, of: snapshot, anchor: .end)?.contentOffset,
            try snapshot.contentOffset(placing: "s-3", at: 5)?.contentOffset,
          ]
        }
        #expect(offsets[0] == offsets[1], "\(kind) \(axis) \(rect)")
        #expect(try read.anchor(in: rect) == its.anchor(in: rect))
      }
    }
  }

  @Test(arguments: KindExample.every)
  func anotherDirectionOfAConfigurationPlacesNothingAgain(_ kind: KindExample) throws {
    let test = try TestFeed([.mixed("s", count: 40)], configuration: kind.configuration())
    try test.cache.prepare(Self.layout)
    let direction = #","layoutDirection":"rightToLeft""#
    try test.set(kind.configuration(rest: direction))
    let context = try #require(try test.cache.prepare(Self.layout).context)
    #expect(context.invalidateEverything && context.work == LayoutWork())
    #expect(try test.read { $0.layoutDirection } == .rightToLeft)
  }

  @Test func aContinuationHasTheDirectionOfItsAnswer() throws {
    let test = try feed(.flow, "")
    let rect = Rect(x: 0, y: 0, width: 90, height: 200)
    let next = try test.read { snapshot in
      let whole = try snapshot.reading(.rightToLeft).elements(in: rect)
      let page = try snapshot.reading(.rightToLeft).elements(in: rect, limit: 2)
      let next = try #require(page.next)
      let token = try #require(Continuation(token: next.token))
      #expect(token == next && token.layoutDirection == .rightToLeft)
      let rest = try snapshot.elements(after: token, limit: 100)
      #expect(page.elements + rest.elements == whole.elements)
      #expect(try snapshot.elements(in: rect, limit: 2).next?.layoutDirection == .leftToRight)
      return next
    }
    // The direction of the token, and not that of the call.
    var found: [LayoutAttributes] = []
    try test.cache.forEachPage(
      of: .after(next, limit: 2), in: Self.layout, direction: .leftToRight
    ) { _, page, _ in found += page.elements }
    #expect(try found == test.read { try $0.elements(after: next, limit: 2).elements })
    try test.cache.forEachPage(of: .rect(rect), in: Self.layout, direction: .rightToLeft) {
      snapshot, page, _ in
      #expect(snapshot.layoutDirection == .rightToLeft && page.next == nil)
    }
  }

  @Test func commitsAndChangesTakeADirection() throws {
    let test = try TestFeed(
      [
        OracleSection("s", sizes: Array(repeating: (10, 10), count: 10)),
        OracleSection("t", sizes: Array(repeating: (10, 10), count: 10)),
      ],
      configuration: """
        {"container":{"height":50,"width":40},"scrollDirection":"horizontal",
         "layoutDirection":"rightToLeft","section":{"columns":1,"itemLength":"natural"}}
        """)
    try test.cache.prepare(Self.layout)
    let visible = Rect(x: 50, y: 0, width: 40, height: 50)
    let insertion = try BatchOperation.insert(
      [Item(key: "new", width: 30, height: 10)], at: .index(0, section: "s"))
    func adjustment(_ direction: LayoutConfiguration.LayoutDirection?) throws -> Point {
      let commit = try test.cache.update(
        "feed", with: [insertion], visible: visible, direction: direction)
      let undone = try test.cache.undo("feed", visible: visible, direction: direction)
      #expect(undone.layouts.count == 1)
      return try #require(commit.layouts.first).context.contentOffsetAdjustment
    }
    #expect(try adjustment(nil) == .zero)
    #expect(try adjustment(.rightToLeft) == .zero)
    #expect(try adjustment(.leftToRight) == Point(x: 30, y: 0))
    let start = try test.cache.update("feed", with: [insertion]).revision - 1
    func sections(_ direction: LayoutConfiguration.LayoutDirection?) throws -> [Int]? {
      try test.cache.changes(
        of: "feed", since: start, layout: "layout", in: Rect(x: 0, y: 0, width: 9, height: 9),
        direction: direction
      ).layouts.first?.context.sections.map(\.section)
    }
    #expect(try sections(nil) == [])
    #expect(try sections(.leftToRight) == [0])
  }

  /// Rests a container's length before the end of the content in its direction.
  private struct Leading: SnapRule {
    static let kind = "leading"
    init(options: [String: ConfigurationValue]) {}
    func target(
      of scroll: ProposedScroll, elements: (Rect) throws -> [LayoutAttributes]
    ) throws -> Point {
      Point(x: scroll.layoutDirection == .rightToLeft ? 7 : 9, y: 0)
    }
  }

  @Test func aRuleOfOnesOwnReadsTheDirection() throws {
    let cache = try LayoutCache.temporary(snapRules: [Leading.self])
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for key in ["a", "b", "c"] {
        try importer.add(Item(key: key, width: 40, height: 10), section: "s")
      }
    }
    try cache.setLayout(
      Self.layout,
      to: LayoutConfiguration(
        container: .init(width: 50, height: 50), scrollDirection: .horizontal,
        section: .waterfall(columns: 1), snap: .custom("leading")))
    try cache.read(Self.layout) { snapshot in
      let targets = try [nil, .rightToLeft].map {
        try snapshot.reading($0).targetContentOffset(forProposed: .zero)
      }
      #expect(targets == [Point(x: 9, y: 0), Point(x: 7, y: 0)])
    }
  }
}
