import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// Answers of one result in both layout directions.
@Suite struct DirectionTests {
  private static let layout = LayoutID("layout", of: "feed")

  /// Worlds compare the elements, runs, anchors, transitions and movements of both directions.
  @Test(arguments: KindExample.every, ["", #","scrollDirection":"horizontal""#])
  func offsetsAreThoseOfALayoutOfTheDirection(_ kind: KindExample, axis: String) throws {
    let test = try TestFeed([.mixed("s", count: 30), .mixed("t", count: 8)])
    for (name, direction) in [("layout", "leftToRight"), ("mirrored", "rightToLeft")] {
      let rest = #","snap":"itemCenter","layoutDirection":"\#(direction)""#
      try test.cache.setLayout(
        LayoutID(name, of: "feed"),
        to: ConfigurationText.decode(
          kind.configuration(extra: #","header":10,"inset":{"left":7,"top":2}"#, rest: axis + rest)
        ))
    }
    var generator = SeededGenerator(seed: 11)
    let layouts = try ["layout", "mirrored"].map { name in
      try test.cache.read(LayoutID(name, of: "feed")) { $0 }
    }
    for (own, its) in [(layouts[0], layouts[1]), (layouts[1], layouts[0])] {
      let read = own.reading(its.layoutDirection)
      #expect(own.reading(nil) === own && read.reading(nil).layoutDirection == own.layoutDirection)
      let rects = RandomRects(own, frames: [])
      for _ in 0..<12 {
        let rect = Rect(rects.next(using: &generator))
        let offsets = try [read, its].map { snapshot in
          [
            try snapshot.targetContentOffset(
              forProposed: rect.origin, velocity: ScrollVelocity(x: 1, y: 1)),
            try snapshot.contentOffset(keeping: rect, of: snapshot, anchor: .end)?.contentOffset,
            try snapshot.contentOffset(placing: "s-3", at: 5)?.contentOffset,
          ]
        }
        #expect(offsets[0] == offsets[1], "\(rect)")
      }
    }
  }

  /// In content that is read from the right, positions count from the end that grows.
  @Test func aReaderOfAHeaderKeepsThePlaceInEachDirection() throws {
    for direction in ["leftToRight", "rightToLeft"] {
      let text =
        #"{"container":{"width":50,"height":50},"scrollDirection":"horizontal","#
        + #""layoutDirection":"\#(direction)","section":{"kind":"flow","header":120}}"#
      let test = try TestFeed([.mixed("s", count: 8)], configuration: text)
      let isRight = direction == "rightToLeft"
      let end = try test.cache.read(Self.layout) { $0.contentSize.width }
      let visible = Rect(x: isRight ? end - 60 : 10, y: 0, width: 50, height: 50)
      let item = try Item(key: "new", width: 40, height: 40)
      let commit = try test.cache.update(
        "feed", with: [.insert([item], at: .end(section: "s"))], visible: visible)
      let change = try #require(commit.layouts.first?.context)
      let growth = change.contentSizeAdjustment.width
      #expect(growth > .zero && change.contentOffsetAdjustment.x == (isRight ? growth : .zero))
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
