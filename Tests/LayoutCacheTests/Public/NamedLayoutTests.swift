import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// The layouts that a commit brings up to date, and lists.
@Suite struct NamedLayoutTests {
  private let feed: TestFeed

  init() throws {
    feed = try TestFeed([OracleSection("s", sizes: [(1, 5), (1, 5), (1, 5)])])
    for name in ["a", "b", "c"] {
      try feed.cache.setLayout(
        LayoutID(name, of: "feed"),
        to: ConfigurationText.decode(
          #"{"container":{"width":1},"section":{"columns":1,"itemLength":"natural"}}"#))
    }
  }

  private let visible = Rect(x: 0, y: 5, width: 1, height: 5)

  private func resize(_ key: String, _ height: Length) -> BatchOperation {
    .resize(key: key, size: Size(width: 1, height: height))
  }

  @Test func aNamedLayoutNeedsNoPriorRead() throws {
    let commit = try feed.cache.update(
      "feed", with: [resize("s-0", 9)], visible: visible, preparing: .named(["b", "a", "b"]))
    #expect(commit.layouts.map(\.layout) == ["a", "b"])
    let context = try #require(commit.layouts["b"]).context
    #expect(!context.invalidateEverything)
    #expect(context.sections.map(\.items) == [RangeSet(0..<3)])
    #expect(context.contentOffsetAdjustment.y == 4)
    #expect(commit.layouts["c"] == nil && commit.behind.isEmpty)
    let next = try feed.cache.undo("feed", visible: visible, preparing: .named(["c"]))
    #expect(next.layouts.map(\.layout) == ["a", "b", "c"])
    #expect(next.layouts["c"]?.context.contentOffsetAdjustment.y == -4)
  }

  @Test func aNamedLayoutThatLagsIsBroughtUpToDate() throws {
    try feed.cache.prepare(LayoutID("a", of: "feed"))
    for height in 1...50 {
      try feed.cache.update(
        "feed", with: [resize("s-0", .points(Double(height)))], preparing: .none)
    }
    let commit = try feed.cache.update("feed", with: [resize("s-1", 7)], preparing: .named(["a"]))
    #expect(commit.layouts["a"]?.context.sections.map(\.items) == [RangeSet(1..<3)])
  }

  @Test func anUnknownNameChangesNothing() throws {
    #expect {
      try feed.cache.update("feed", with: [resize("s-0", 9)], preparing: .named(["a", "none"]))
    } throws: {
      guard case .noSuchLayout? = ($0 as? LayoutCacheError)?.code else { return false }
      return true
    }
    #expect(try feed.cache.dataset("feed").revision == 1)
  }

  /// Whether a batch is accepted depends on the dataset alone.
  @Test func aNamedLayoutThatCannotBeLaidOutIsListedAsBehind() throws {
    let cache = try LayoutCache(path: feed.path)
    try feed.cache.setLayout(
      LayoutID("d", of: "feed"),
      to: ConfigurationText.decode(#"{"container":{"width":1},"section":{"kind":"stack"}}"#))
    let commit = try cache.update("feed", with: [resize("s-0", 9)], preparing: .named(["a", "d"]))
    #expect(commit.revision == 2)
    #expect(commit.layouts.map(\.layout) == ["a"])
    #expect(commit.behind.map(\.layout) == ["d"])
  }

  @Test func aBatchOfMeasurementsListsItsLayoutAndThoseNamed() throws {
    for name in ["a", "b", "c"] { try feed.cache.read(LayoutID(name, of: "feed")) { _ in } }
    func listed(
      _ operations: [BatchOperation], _ layouts: UpdatedLayouts = .inUse
    ) throws -> [String] {
      let commit = try feed.cache.update("feed", with: operations, preparing: layouts)
      #expect(commit.behind.isEmpty)
      return commit.layouts.map(\.layout)
    }
    func prefer(_ layout: String, _ length: Length?) -> BatchOperation {
      .prefer(layout: layout, key: "s-1", length: length)
    }
    #expect(try listed([prefer("a", 8)]) == ["a"])
    #expect(try listed([prefer("a", 9), .invalidate(layout: "a", items: ["s-2"])]) == ["a"])
    #expect(try listed([.invalidate(layout: "b", everything: true)]) == ["b"])
    #expect(try listed([prefer("a", 10)], .named(["c"])) == ["a", "c"])
    #expect(try listed([prefer("a", 11)], .upToDate) == ["a"])
    #expect(try listed([prefer("a", 12), prefer("b", 12)]) == ["a", "b", "c"])
    #expect(try listed([prefer("a", nil), resize("s-0", 6)]) == ["a", "b", "c"])
    #expect(try listed([prefer("a", 8), .mark(source: "m", position: "1")]) == ["a", "b", "c"])
    #expect(try listed([.rebalance(layout: "a")]) == ["a", "b", "c"])
    // The others have followed nevertheless.
    for name in ["a", "b", "c"] {
      let revision = try feed.cache.read(LayoutID(name, of: "feed")) { $0.revision }
      #expect(revision == 10)
    }
  }
}
