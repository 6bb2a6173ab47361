import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: a random feed of mixed kinds, a third with effects, of which one snapshot answers a
// client that stays, scrolls in both directions by any distance, changes its viewport's size or
// jumps; with edges at elements' edges, with limits, visible bounds and as laid out. Each answer
// is compared with that of a snapshot without a state. Between walks a batch is committed.
//
// Invariants: both answers are equal, in order, with their continuations; many of the first come
// from an earlier one, without visiting nodes.

@Suite struct LastAnswerPropertyTests {
  @Test(.property, arguments: PropertyRun.seeds, TestKinds.mixes)
  func anAnswerDoesNotDependOnTheLastOne(seed: UInt64, kinds: RandomConfiguration.Kinds) throws {
    var generator = SeededGenerator(seed: seed)
    var storedCount = 0
    for step in PropertyRun.each(seed, steps: 4) {
      var feed = RandomFeed(itemCountMax: step % 2 == 0 ? 300 : 40)
      let sections = feed.sections(using: &generator)
      let text = RandomConfiguration(kinds: kinds, allowsEffects: step % 3 == 1).text(
        sectionKeys: sections.map(\.key), using: &generator)
      let test: TestFeed
      do {
        test = try TestFeed(
          sections, configuration: text, options: .randomShapes(using: &generator))
      } catch let error as LayoutCacheError {
        // Some random configurations do not fit their container.
        guard case .configuration = error.code else { throw error }
        continue
      }
      for round in 0..<2 {
        try test.read { snapshot in
          let offsets = RandomOffsets.next(
            for: try Oracle(configuration: text, sections: sections), using: &generator)
          var walk = try Walk(
            generator.oneIn(2) ? snapshot : snapshot.scrolled(to: CarouselOffsets(offsets)))
          for _ in 0..<60 { try walk.step(using: &generator, "\(text)") }
          storedCount += walk.storedCount
        }
        let items = sections.flatMap(\.items)
        guard round == 0, let key = items.randomElement(using: &generator)?.key else { break }
        _ = try test.cache.update("feed", with: [.delete(keys: [key])])
      }
    }
    #expect(storedCount > 0)
  }

  private struct Walk {
    let snapshot: LayoutSnapshot
    private let rects: RandomRects
    private let edges: [UnitRect]
    private var rect: UnitRect
    /// The number of answers to other queries than the last one that took no search.
    private(set) var storedCount = 0
    private var last: ElementsQuery?

    init(_ snapshot: LayoutSnapshot) throws {
      self.snapshot = snapshot
      let everything = Rect(RandomRects.everything)
      edges = try snapshot.elements(asLaidOutIn: everything, limit: 200).elements.map {
        UnitRect($0.frame)
      }
      let size = snapshot.contentSize
      rects = RandomRects(
        contentSize: UnitSize(width: size.width.units, height: size.height.units), frames: edges)
      rect = UnitRect(x: 0, y: 0, width: size.width.units, height: 64_000)
    }

    mutating func step(using generator: inout SeededGenerator, _ origin: Comment) throws {
      move(using: &generator)
      let limit = generator.oneIn(6) ? Int.random(in: 1...20, using: &generator) : Int.max
      let query: ElementsQuery
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: query = .asLaidOut(Rect(rect), limit: limit)
      case 1: query = .rect(Rect(rect), visible: Rect(rects.next(using: &generator)), limit: limit)
      default: query = .rect(Rect(rect), limit: limit)
      }
      let page = try snapshot.elements(query)
      let fresh = LayoutSnapshot(
        of: snapshot, trees: snapshot.trees, results: snapshot.results,
        carouselOffsets: snapshot.carouselOffsets)
      let single = try fresh.elements(query)
      #expect(page.elements == single.elements, "\(origin), \(query)")
      #expect(page.next == single.next, "\(origin), \(query)")
      let isStored = page.work.nodesVisited == 0 && single.work.nodesVisited > 0
      if query != last && isStored { storedCount += 1 }
      last = query
    }

    private mutating func move(using generator: inout SeededGenerator) {
      let isVertical = snapshot.plan.space.scrollAxis == .vertical
      switch Int.random(in: 0..<16, using: &generator) {
      case 0: rect = rects.next(using: &generator)
      case 1, 2: break
      case 3: rect.height = max(1, rect.height + .random(in: -20_000...20_000, using: &generator))
      case 4: rect.width = max(1, rect.width + .random(in: -20_000...20_000, using: &generator))
      case 5, 6:
        // An edge of the rectangle is one of an element, or one unit away.
        guard let edge = edges.randomElement(using: &generator) else { return }
        let away = Int64.random(in: -1...1, using: &generator)
        let length = isVertical ? rect.height : rect.width
        let start = isVertical ? edge.y : edge.x
        let end = start + (isVertical ? edge.height : edge.width)
        let position =
          (generator.oneIn(2) ? start : end) - (generator.oneIn(2) ? length : 0) + away
        if isVertical { rect.y = position } else { rect.x = position }
      default:
        let length = max(1, isVertical ? rect.height : rect.width)
        let most = generator.oneIn(3) ? length : min(length, 6400)
        let distance = Int64.random(in: -most...most, using: &generator)
        if isVertical { rect.y += distance } else { rect.x += distance }
      }
    }
  }
}
