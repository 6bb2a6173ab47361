import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Invariant: if a context for another container names nothing, the layout in that container is
// the same to the unit.

@Suite struct BoundsChangeTests {
  @Test(arguments: [
    (#""section":{"columns":2}"#, false), (#""section":{"kind":"flow"}"#, false),
    (#""section":{"kind":"circle","itemSize":{"width":9,"height":9}}"#, true),
    (#""section":{"kind":"stack"}"#, true), (#""section":{},"effect":{"kind":"scale"}"#, true),
    (#""section":{},"sections":{"b":{"kind":"circle","itemSize":{"width":9,"height":9}}}"#, true),
    (#""section":{},"sections":{"none":{"kind":"stack"}}"#, false),
    (#""section":{},"snap":"page""#, false),
  ])
  func aNewContainerInvalidatesOnlyItsReaders(members: String, isConcerned: Bool) throws {
    for direction in ["vertical", "horizontal"] {
      let test = try TestFeed(
        [OracleSection("a", sizes: [(5, 5)]), OracleSection("b", sizes: [(5, 5), (6, 6)])],
        configuration:
          #"{"container":{"width":100,"height":80},\#(members),"scrollDirection":"\#(direction)"}"#)
      let isVertical = direction == "vertical"
      let (longer, wider) = (Size(width: 100, height: 90), Size(width: 110, height: 80))
      try test.read { snapshot in
        let along = isVertical ? longer : wider
        let across = isVertical ? wider : longer
        #expect(try !snapshot.shouldInvalidateLayout(forBoundsChange: Size(width: 100, height: 80)))
        #expect(try snapshot.shouldInvalidateLayout(forBoundsChange: along) == isConcerned)
        #expect(try snapshot.shouldInvalidateLayout(forBoundsChange: across))
        let everything = try snapshot.invalidationContext(forBoundsChange: across)
        #expect(everything.invalidateEverything)
        #expect(everything.contentSizeAdjustment == across - Size(width: 100, height: 80))
        guard members.contains(#""b""#) else { return }
        let context = try snapshot.invalidationContext(forBoundsChange: along)
        #expect(!context.invalidateEverything)
        #expect(context.sections.map(\.section) == [1])
        #expect(context.sections.first?.items == RangeSet(0..<2))
      }
    }
  }

  /// Three sections of 100 points: their headers pin, or only that of the second, or an effect acts.
  @Test(arguments: [
    (#""section":{"header":20,"footer":5,"pinsHeader":true}"#, [0: [0], 100: [1], 150: [1, 2]]),
    (#""section":{"header":20},"sections":{"b":{"pinsHeader":true}}"#, [0: [], 50: [1], 200: []]),
    (#""section":{"pinsHeader":true,"pinsFooter":true,"header":20}"#, [99: [0, 1], 290: [2]]),
    (#""section":{"header":20}"#, [0: [], 150: []]), (#""section":{"pinsHeader":true}"#, [0: []]),
  ])
  func scrollingInvalidatesWhatPinsInSight(members: String, pins: [Int: [Int]]) throws {
    let isFooter = members.contains(#""footer""#)
    let side = members.contains(#""header""#) ? isFooter ? 75.0 : 80 : 100
    let columned = members.replacing(#""section":{"#, with: #""section":{"columns":1,"#)
    let test = try TestFeed(
      ["a", "b", "c"].map { OracleSection($0, sizes: [(100, side)]) },
      configuration: #"{"container":{"width":100},\#(columned)}"#)
    try test.read { snapshot in
      #expect(snapshot.contentSize.height == 300)
      for (start, sections) in pins {
        let bounds = Rect(x: 0, y: Length(points: Double(start))!, width: 100, height: 100)
        let context = try snapshot.invalidationContext(forBoundsChange: bounds)
        #expect(context.sections.map(\.section) == sections, "\(start)")
        #expect(context.sections.allSatisfy { $0.supplementaryElements == [.header] })
        #expect(!context.invalidateEverything && context.sections.allSatisfy(\.items.isEmpty))
        #expect(try snapshot.shouldInvalidateLayout(forBoundsChange: bounds) == !sections.isEmpty)
      }
    }
  }

  @Test func scrollingWithAnEffectInvalidatesEverything() throws {
    let test = try TestFeed(
      [OracleSection("a", sizes: [(5, 5)])],
      configuration: #"{"container":{"width":100},"section":{},"effect":{"kind":"scale"}}"#)
    try test.read { snapshot in
      let bounds = Rect(x: 0, y: 900, width: 100, height: 100)
      let context = try snapshot.invalidationContext(forBoundsChange: bounds)
      #expect(context.invalidateEverything)
      #expect(try snapshot.shouldInvalidateLayout(forBoundsChange: bounds))
    }
  }

  /// Elements that a context does not name are laid out the same.
  @Test(.property, arguments: PropertyRun.seeds)
  func unnamedElementsAreTheSameInTheOtherContainer(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 6) {
      var source = RandomFeed(itemCountMax: 30)
      let sections = source.sections(using: &generator)
      let text = RandomConfiguration(kinds: TestKinds.mixes[0], allowsEffects: false).text(
        sectionKeys: sections.map(\.key), using: &generator)
      var configuration = try ConfigurationText.decode(text)
      let test = try TestFeed(sections, configuration: text)
      let before = try test.keptSnapshot()
      let elements = try OracleElement.all(of: before)
      let container = before.plan.space.container
      let length = container.height + (container.height < 5000 ? 100 : -100)
      let size = before.plan.space.oriented(Size(width: container.width, height: length))
      let context = try before.invalidationContext(forBoundsChange: size)
      configuration.container = .init(width: size.width, height: size.height)
      try test.cache.setLayout(LayoutID("layout", of: "feed"), to: configuration)
      guard context.isEmpty,
        let after = try? test.read({ try OracleElement.all(of: $0) })
      else { continue }
      #expect(elements == after, "\(text)")
    }
  }
}
