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
