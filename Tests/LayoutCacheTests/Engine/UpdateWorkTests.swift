import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Strategy: edits in the middle of feeds of growing size, and the work that their commits
// report, which must not depend on the size except for the trees' depth.

@Suite struct UpdateWorkTests {
  private static let configuration = #"""
    {"container":{"width":1000},
     "section":{"columns":5,"itemLength":"natural","maximumSkew":1000000}}
    """#

  private func feed(_ count: Int, _ configuration: String = configuration) throws -> TestFeed {
    let heights = (0..<count).map { (400.0, Double(100 + $0 * 7919 % 400)) }
    let test = try TestFeed([OracleSection("s", sizes: heights)], configuration: configuration)
    try test.read { _ in }
    return test
  }

  private func context(
    _ test: TestFeed, _ operation: BatchOperation
  ) throws -> (InvalidationContext, SectionInvalidation) {
    let commit = try test.cache.update("feed", with: [operation])
    let context = try #require(commit.layouts.first?.context)
    return (context, try #require(context.section(0)))
  }

  /// Depth of the section's tree, and the one leaf of sections above it.
  private func nodesOfAPath(_ test: TestFeed) throws -> Int {
    let layout = try #require(try test.cache.inspect(dataset: "feed").layouts.first)
    return try #require(layout.sections.first).treeDepth + layout.tree.depth
  }

  @Test(arguments: [1000, 10_000, 100_000])
  func aResizeChangesOneColumnAndOnePath(count: Int) throws {
    let test = try feed(count)
    let before = try OracleElement.all(of: test.cache)
    let middle = count / 2
    let column = try #require(before[middle].column)
    let (context, section) = try context(
      test, .resize(key: "s-\(middle)", size: Size(width: .points(400), height: .points(777))))
    #expect(context.work.recomputedItems == 1)
    #expect(context.work.recomputedColumns == 1)
    #expect(context.work.changedNodes == (try nodesOfAPath(test)))
    #expect(section.columns == RangeSet(column..<(column + 1)))
    #expect(section.items == RangeSet(middle..<count))
    // Frames of other columns, and of items before, are the same to the bit.
    let after = try OracleElement.all(of: test.cache)
    for (old, new) in zip(before, after) where old.column != column || old.item! < middle {
      #expect(old == new)
    }
    #expect(before != after)
  }

  @Test(arguments: [1000, 10_000, 100_000])
  func insertionsAndDeletionsChangeOneColumnAndOnePath(count: Int) throws {
    let test = try feed(count)
    let place = ItemDestination.before("s-\(count / 2)")
    let item = try Item(key: "new", width: 400, height: 300)
    let path = try nodesOfAPath(test)
    let (inserted, section) = try context(test, .insert([item], at: place))
    #expect(inserted.work.recomputedItems == 1)
    #expect(inserted.work.recomputedColumns == 1)
    // Nodes built in bulk are full: each on the path may be cut in two.
    #expect((path...(2 * path)).contains(inserted.work.changedNodes))
    #expect(inserted.invalidateDataSourceCounts)
    let (deleted, closed) = try context(test, .delete(keys: ["new"]))
    #expect(deleted.work.recomputedItems == 0)
    #expect(deleted.work.recomputedColumns == 1)
    #expect(closed.columns == section.columns)
    #expect((path...(2 * path)).contains(deleted.work.changedNodes))
  }

  @Test func anItemAcrossAllColumnsStopsAnExactReplay() throws {
    let sizes = (0..<3000).map { (400.0, Double(100 + $0 * 7919 % 400)) }
    var items = OracleSection("s", sizes: sizes).items
    items[1500].span = 0
    let test = try TestFeed(
      [OracleSection(key: "s", items: items)],
      configuration: #"""
        {"container":{"width":1000},
         "section":{"columns":5,"itemLength":"natural","assignment":"exact"}}
        """#)
    let before = try OracleElement.all(of: test.cache)
    let (context, _) = try context(
      test, .resize(key: "s-1400", size: Size(width: .points(400), height: .points(100))))
    // Up to the item over all columns, and none after it.
    #expect(context.work.recomputedItems <= 101)
    let after = try OracleElement.all(of: test.cache)
    for item in 1500..<3000 { #expect(before[item].column == after[item].column) }
  }

  @Test func aBatchPlacesAnExactSectionOnce() throws {
    let test = try feed(
      3000,
      #"""
      {"container":{"width":1000},
       "section":{"columns":5,"itemLength":"natural","assignment":"exact"}}
      """#)
    let batch = stride(from: 100, to: 3000, by: 100).map { item in
      BatchOperation.resize(key: "s-\(item)", size: Size(width: .points(400), height: .points(777)))
    }
    let commit = try test.cache.update("feed", with: batch)
    let work = try #require(commit.layouts.first).context.work
    #expect(work.recomputedItems == 2900)
    // The same from scratch.
    let changed = try OracleElement.all(of: test.cache)
    try test.cache.update("feed", with: [.invalidate(layout: "layout", everything: true)])
    let fromScratch = try OracleElement.all(of: test.cache)
    #expect(changed == fromScratch)
  }

  @Test(arguments: ["stable", "exact"])
  func anUnchangedLengthMovesNothing(assignment: String) throws {
    let test = try feed(
      1000,
      #"""
      {"container":{"width":1000},
       "section":{"columns":5,"itemLength":"natural","assignment":"\#(assignment)"}}
      """#)
    let (context, section) = try context(
      test, .resize(key: "s-0", size: Size(width: .points(300), height: .points(100))))
    // An exact section places the item again, and stops after it.
    let isPlaced = assignment == "exact"
    #expect(
      context.work
        == LayoutWork(recomputedItems: 1, recomputedColumns: isPlaced ? 1 : 0, changedNodes: 0))
    #expect(section.interval == (isPlaced ? 0..<100 : nil))
    #expect(section.items == RangeSet(0..<1))
  }
}
