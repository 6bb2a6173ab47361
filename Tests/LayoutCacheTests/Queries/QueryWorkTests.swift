import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Work is counted, not timed: the nodes that a query reads grow with the height of the trees,
// and the trees' height with the logarithm of the items.

@Suite struct QueryWorkTests {
  private let plan: WaterfallPlan

  init() throws {
    let configuration = try ConfigurationText.decode(
      #"{"container":{"width":1000},"section":{"columns":5}}"#)
    guard
      case .waterfall(let plan) = try LayoutPlan(configuration)
        .section("any", style: nil).kind
    else {
      preconditionFailure("a waterfall is the default")
    }
    self.plan = plan
  }

  /// A waterfall of many items of 100 to 499 points.
  ///
  /// - Parameter long: The item that is a million points longer, if any.
  private func waterfall(_ count: Int, long: Int? = nil) throws -> SumTree<WaterfallLeaf> {
    var generator = SeededGenerator(seed: 7)
    var placement = WaterfallPlacement(plan: plan)
    var builder = TreeBuilder<WaterfallLeaf>(shape: TreeShapes.standard.waterfall)
    var run = WaterfallLeaf()
    for item in 0..<count {
      var length = Length(units: Int64.random(in: 100..<500, using: &generator) * 64)
      if item == long { length += Length(units: 1_000_000 * 64) }
      let column = try placement.place(length: length, columnSpan: 1)
      run.append(column: column, columnSpan: 1, advance: length)
      if run.count == 8192 || item == count - 1 {
        try builder.append(run)
        run = WaterfallLeaf()
      }
    }
    return try builder.finish()
  }

  /// The largest number of nodes that any of some viewports of 1,000 points reads, and the
  /// largest number of items that one shows.
  private func mostNodes(
    _ tree: SumTree<WaterfallLeaf>, at starts: [Int64]
  ) throws -> (nodes: Int, items: Int) {
    var most = (nodes: 0, items: 0)
    for start in starts {
      let session = TreeSession()
      var items = 0
      let rect = Rect(
        x: .zero, y: Length(units: start), width: Length(units: 64_000),
        height: Length(units: 64_000))
      let section = try SectionItems(
        SumTree(shape: TreeShapes.standard.items), in: 0..<tree.count,
        try EditedItems.view, .standard, in: session)
      var cells: [PlacedCell] = []
      try plan.findItems(
        in: rect, from: 0, of: StoredWaterfall(tree: tree), section, into: &cells
      ) { _ in true }
      #expect(cells.allSatisfy { $0.frame.intersects(rect) })
      items += cells.count
      most = (max(most.nodes, session.nodesVisited), max(most.items, items))
    }
    return most
  }

  private func viewports(_ tree: SumTree<WaterfallLeaf>) -> [Int64] {
    var generator = SeededGenerator(seed: 3)
    let end = tree.summary.columnEnds(of: plan).max()?.units ?? 0
    return [0, end / 2, end - 64_000]
      + (0..<50).map { _ in Int64.random(in: 0..<end, using: &generator) }
  }

  @Test(arguments: [1_000, 100_000, 1_000_000])
  func aViewportReadsAFewPathsOfTheTree(count: Int) throws {
    let tree = try waterfall(count)
    let most = try mostNodes(tree, at: viewports(tree))
    // Each column descends once, and sometimes continues to a neighbouring leaf.
    let columns = 5
    #expect(most.nodes <= columns * (tree.height + 1) + columns * 3)
    #expect(most.items < 60)
  }

  @Test(arguments: [1_000, 100_000, 1_000_000])
  func oneColumnAMillionPointsLongerCostsNothing(count: Int) throws {
    let tree = try waterfall(count, long: count / 3)
    let ends = tree.summary.columnEnds(of: plan)
    #expect((ends.max() ?? .zero) > .zero)
    let most = try mostNodes(tree, at: viewports(tree))
    #expect(most.nodes <= 5 * (tree.height + 1) + 5 * 3)
    #expect(most.items < 60)
  }

  @Test(arguments: [(10_000, 3), (1_000_000, 4)])
  func theTopOfAFeedIsOnePath(count: Int, nodes: Int) throws {
    let tree = try waterfall(count)
    #expect(tree.height + 1 == nodes)
    // The search ends in the first leaf: every column has passed the rectangle there.
    let most = try mostNodes(tree, at: [0])
    #expect(most.nodes == nodes)
    #expect(most.items > 15)
  }

  @Test func theHeightIsLogarithmic() throws {
    #expect(try waterfall(64).height == 0)
    #expect(try waterfall(1_000).height == 1)
    #expect(try waterfall(100_000).height == 2)
    #expect(try waterfall(1_000_000).height == 3)
  }

  @Test func contentBelowARectangleIsNotRead() throws {
    let small = try mostNodes(waterfall(100_000), at: [0]).nodes
    let large = try mostNodes(waterfall(1_000_000), at: [0])
    #expect(large.nodes <= small + 5)
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
          let page = try snapshot.elements(
            fromKey: "s-\(item)", count: 50, backward: isBackward)
          #expect(page.work.nodesVisited <= nodes, "\(page.work.nodesVisited)")
          guard let next = page.next else { continue }
          let more = try snapshot.elements(after: next)
          #expect(more.work.nodesVisited <= nodes, "\(more.work.nodesVisited)")
        }
      }
    }
  }
}
