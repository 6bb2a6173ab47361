import LayoutCache
import LayoutCacheTestSupport
import TestSupport
import Testing

/// A dataset with several layouts: operations on one do not affect the others.
@Suite struct SeveralLayoutsTests {
  private let feed: TestFeed
  private let layouts: [LayoutID]

  /// A dataset with a layout of each kind, all of them prepared.
  init() throws {
    feed = try TestFeed([.mixed("s", count: 150), .mixed("t", count: 40)])
    layouts = KindExample.every.enumerated().map { LayoutID("layout \($0.offset)", of: "feed") }
    for (layout, kind) in zip(layouts, KindExample.every) {
      try feed.cache.setLayout(layout, to: ConfigurationText.decode(kind.configuration()))
      try feed.cache.prepare(layout)
    }
  }

  private func elements(_ cache: LayoutCache) throws -> [[LayoutAttributes]] {
    try layouts.map { layout in
      try cache.read(layout) { snapshot in
        try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
      }
    }
  }

  private func invalidation(of layout: LayoutID) -> BatchOperation {
    .invalidate(layout: layout.layout, everything: true)
  }

  @Test(arguments: KindExample.every.indices)
  func layingOneLayoutOutFromScratchKeepsTheOthers(index: Int) throws {
    let before = try elements(feed.cache)
    let commit = try feed.cache.update(
      "feed", with: [invalidation(of: layouts[index])],
      preparing: .named(layouts.map(\.layout)))
    #expect(commit.layouts.count == layouts.count)
    for change in commit.layouts {
      let isConcerned = change.layout == layouts[index].layout
      #expect(change.context.invalidateEverything == isConcerned)
      #expect(isConcerned || change.context.isEmpty)
    }
    #expect(try elements(feed.cache) == before)
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func laggingLayoutsCatchUpPastAnInvalidation() throws {
    let before = try elements(feed.cache)
    for layout in layouts {
      try feed.cache.update("feed", with: [invalidation(of: layout)], preparing: .none)
    }
    #expect(try elements(feed.cache) == before)
    // So does a process that reads the batches from the log.
    let other = try LayoutCache(path: feed.path, sectionLayouts: TestKinds.all)
    #expect(try elements(other) == before)
    try other.update("feed", with: [invalidation(of: layouts[0])], preparing: .none)
    #expect(try elements(feed.cache) == before)
    #expect(try other.verify().problems.isEmpty)
  }

  @Test func layingOutFromScratchKeepsTheAnchorInPlace() throws {
    for layout in layouts {
      let visible = try feed.cache.read(layout) { snapshot in
        let size = snapshot.contentSize
        return Rect(
          x: .zero, y: .points(size.height.points / 2), width: size.width, height: 200)
      }
      let commit = try feed.cache.update(
        "feed", with: [.delete(keys: ["s-0"]), invalidation(of: layout)], visible: visible)
      try feed.cache.update(
        "feed",
        with: [
          .insert([Item(key: "s-0", width: 4, height: 3)], at: .index(0, section: "s"))
        ])
      #expect(commit.layouts.count == layouts.count)
    }
  }
}
