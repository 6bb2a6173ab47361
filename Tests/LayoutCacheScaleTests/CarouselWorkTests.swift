import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// The work of queries and changes of carousels, which must not depend on their size except for
/// the depth of the trees.
@Suite struct CarouselWorkTests {
  private func feed(_ count: Int, _ members: String = "") throws -> TestFeed {
    let test = try TestFeed(
      [.mixed("s", count: count)],
      configuration: """
        {"container":{"width":390},"section":{"kind":"carousel","spacing":8\(members)}}
        """)
    try test.read { _ in }
    return test
  }

  @Test func aQueryAtAnyOffsetVisitsTwoPaths() throws {
    let works = try [1000, 100_000].map { count in
      try feed(count).read { snapshot in
        let carousel = try #require(try snapshot.carousel(inSection: 0))
        #expect(carousel.maximumOffset > Length.points(40 * Double(count)))
        return try (0...8).map { step in
          let offset = Length(units: carousel.maximumOffset.units / 8 * Int64(step))
          let scrolled = snapshot.scrolled(to: ["s": offset])
          let page = try scrolled.elements(
            in: Rect(x: 0, y: 0, width: 390, height: snapshot.contentSize.height))
          #expect((3...20).contains(page.elements.count))
          #expect(page.elements.allSatisfy { $0.frame.maxX > 0 && $0.frame.minX < 390 })
          return page.work.nodesVisited
        }.max() ?? 0
      }
    }
    // Each tree has one more level, and the cells may be in two leaves of each.
    #expect(works[1] <= works[0] + 8)
    #expect(works[1] < 24)
  }

  @Test(arguments: ["top", "center"])
  func aChangePlacesTheChangedItemsOnly(alignment: String) throws {
    let works = try [1000, 100_000].map { count in
      let test = try feed(count, #","crossAlignment":"\#(alignment)""#)
      let middle = count / 2
      func work(_ operations: BatchOperation...) throws -> LayoutWork {
        let commit = try test.cache.update("feed", with: operations)
        return try #require(commit.layouts.first?.context).work
      }
      let resized = try work(.resize(key: "s-\(middle)", size: Size(width: 77, height: 33)))
      #expect(resized.recomputedItems == 1)
      // All items are aligned with the longest; none is placed again.
      let longest = try work(.resize(key: "s-1", size: Size(width: 77, height: 3000)))
      #expect(longest.recomputedItems == 1)
      let inserted = try work(
        .insert([Item(key: "new", width: 10, height: 10)], at: .before("s-\(middle)")))
      #expect(inserted.recomputedItems == 1)
      let deleted = try work(.delete(keys: ["s-3"]))
      #expect(deleted.recomputedItems == 0)
      #expect(try test.cache.verify().problems.isEmpty)
      return [resized, longest, inserted, deleted].map(\.changedNodes).max() ?? 0
    }
    #expect(works[1] <= works[0] + 3)
    #expect(works[1] < 12)
  }

  @Test func aLongerItemMovesTheOthersOfACenteredCarousel() throws {
    let test = try feed(100)
    let commit = try test.cache.update(
      "feed", with: [.resize(key: "s-50", size: Size(width: 65, height: 3000))])
    let context = try #require(commit.layouts.first?.context)
    let section = try #require(context.section(0))
    #expect(section.items == RangeSet(0..<100))
    #expect(section.interval == 0..<3000)
  }

  @Test func theScrollRangeAndTheTargetAreReadFromAPath() throws {
    for scrolling in SectionOptions.Scrolling.allCases {
      let test = try feed(100_000, #","scrolling":"\#(scrolling.rawValue)""#)
      try test.read { snapshot in
        let last = try #require(try snapshot.carousel(inSection: 0)).maximumOffset
        for offset in [.zero, Length(units: last.units / 2), last] {
          let target = try #require(
            try snapshot.targetCarouselOffset(
              inSection: 0, forProposed: offset, from: offset, velocity: 1))
          #expect((.zero...last).contains(target))
        }
      }
    }
  }
}
