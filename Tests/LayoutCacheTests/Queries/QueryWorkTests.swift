import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Work is counted, not timed: the nodes that a query reads grow with the height of the trees,
// and the trees' height with the logarithm of the items.

@Suite struct QueryWorkTests {
  private static let large = PropertyRun.steps(0) > 0 ? 1_000_000 : 100_000

  /// A waterfall of many items of 100 to 499 points in five columns.
  ///
  /// - Parameter long: The item that is as long as may be, if any.
  private func waterfall(_ count: Int, long: Int? = nil) throws -> LayoutCache {
    let cache = try LayoutCache.temporary()
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for item in 0..<count {
        let height = item == long ? 1_000_000 : Double(100 + item * 7919 % 400)
        try importer.add(Item(key: "s-\(item)", width: 200, height: height), section: "s")
      }
    }
    try cache.setLayout(
      LayoutID("layout", of: "feed"),
      to: ConfigurationText.decode(
        #"{"container":{"width":1000},"section":{"columns":5,"itemLength":"natural"}}"#))
    return cache
  }

  /// The largest number of nodes that any of some viewports of 1,000 points reads; the first is at
  /// the top.
  private func nodes(_ cache: LayoutCache) throws -> (top: Int, most: Int) {
    try cache.read(LayoutID("layout", of: "feed")) { snapshot in
      var generator = SeededGenerator(seed: 3)
      let end = snapshot.contentSize.height.units
      let starts =
        [0, end / 2, end - 64_000]
        + (0..<50).map { _ in
          Int64.random(in: 0..<end, using: &generator)
        }
      let works = try starts.map { start in
        // Without what the query before has left in memory.
        _ = try snapshot.elements(in: Rect(x: 0, y: .zero, width: 1, height: 1))
        let rect = Rect(x: 0, y: Length(units: start), width: 1000, height: 1000)
        let page = try snapshot.elements(in: rect)
        #expect(page.elements.count < 60 && page.elements.allSatisfy { $0.frame.intersects(rect) })
        return page.work.nodesVisited
      }
      return (works[0], works.max() ?? 0)
    }
  }

  /// Each column descends once, and sometimes continues to a neighbouring leaf, in the items too;
  /// an item that is a million points longer, which leaves its column alone, costs nothing.
  @Test(arguments: [false, true]) func aViewportReadsAFewPathsOfTheTree(isLong: Bool) throws {
    let works = try [1000, Self.large].map { try nodes(waterfall($0, long: isLong ? $0 / 3 : nil)) }
    // Two or three more levels of each tree.
    #expect(works[1].top <= works[0].top + 6 && works[0].top < 10, "\(works)")
    #expect(works[1].most <= 5 * 4 + 5 * 3 + 12, "\(works)")
  }

  @Test func aSecondQueryReadsNothingFromTheFile() throws {
    let feed = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: 10_000))],
      configuration: #"{"container":{"width":1000},"section":{"columns":5}}"#)
    try feed.cache.prepare(LayoutID("layout", of: "feed"))
    let rect = Rect(
      x: .zero, y: Length(units: 10_000_000), width: Length(units: 64_000),
      height: Length(units: 64_000))
    let cache = try LayoutCache(path: feed.path)
    let works = try (0..<2).map { _ in
      try cache.read(LayoutID("layout", of: "feed")) { try $0.elements(in: rect).work }
    }
    // No full load: a few paths of the 157 leaves and their parents.
    #expect(works[0].nodesLoaded <= 14)
    #expect(works[1] == .none)
  }

  @Test func manySectionsAreNotScanned() throws {
    let directory = try TemporaryDirectory()
    let cache = try LayoutCache(path: directory.path(of: "feed.sqlite"))
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for section in 0..<20_000 {
        try importer.add(Item(key: "k\(section)", width: 1, height: 1), section: "s\(section)")
      }
    }
    try cache.setLayout(
      LayoutID("layout", of: "feed"),
      to: ConfigurationText.decode(
        #"{"container":{"width":100},"section":{"columns":1,"header":20}}"#))
    try cache.read(LayoutID("layout", of: "feed")) { snapshot in
      let middle = snapshot.contentSize.height.units / 2
      let page = try snapshot.elements(
        in: Rect(
          x: .zero, y: Length(units: middle), width: Length(units: 6400),
          height: Length(units: 64)))
      #expect(page.elements.count <= 2)
      #expect(page.work.nodesVisited <= 16)
    }
  }

  /// A page by item costs as much as a rectangle with the same number of items, wherever it is
  /// and however many there are.
  @Test(arguments: [(1_000, 30), (50_000, 40)])
  func aPageByItemReadsAFewPaths(count: Int, nodes: Int) throws {
    let feed = try TestFeed(
      [
        OracleSection("s", sizes: Array(repeating: (100, 100), count: count)),
        OracleSection("t", sizes: [(1, 1)]),
      ],
      configuration: #"{"container":{"width":1000},"section":{"columns":5}}"#)
    try feed.read { snapshot in
      for item in [0, count / 2, count - 30] {
        for isBackward in [false, true] {
          let page = try snapshot.elements(fromKey: "s-\(item)", count: 50, backward: isBackward)
          #expect(page.work.nodesVisited <= nodes, "\(page.work.nodesVisited)")
          guard let next = page.next else { continue }
          let more = try snapshot.elements(after: next)
          #expect(more.work.nodesVisited <= nodes, "\(more.work.nodesVisited)")
        }
      }
    }
  }
}
