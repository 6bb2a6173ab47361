import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Strategy: sections of equal blocks, each of fifty items in lines of ten and one item that
// fills a line alone, at which shifted lines agree again with the previous ones. The items that
// a change recomputes can then be counted by hand, and must not depend on the size of the feed
// except for the trees' depth.

@Suite struct LineWorkTests {
  /// A kind in a container of 1,000 points, where ten items of 100 x 100 fill a line.
  enum Kind: String, CaseIterable {
    case flow, justified

    var configuration: String {
      #"""
      {"container":{"width":1000},"section":{"kind":"\#(rawValue)","targetRowLength":100}}
      """#
    }
  }

  /// The items of a block, the one that fills a line included.
  private static let blockCount = 51

  private func blocks(_ count: Int, _ kind: Kind) throws -> TestFeed {
    try feed(
      (0..<count).map { index in
        index % Self.blockCount == 50 ? (10_000, 100) : (100, 100)
      }, kind)
  }

  private func feed(_ sizes: [(Double, Double)], _ kind: Kind) throws -> TestFeed {
    let test = try TestFeed([OracleSection("s", sizes: sizes)], configuration: kind.configuration)
    try test.read { _ in }
    return test
  }

  private func context(
    _ test: TestFeed, _ operations: BatchOperation...
  ) throws -> InvalidationContext {
    let commit = try test.cache.update("feed", with: operations)
    return try #require(commit.layouts.first?.context)
  }

  /// The nodes of a path: of the section's tree, and of that of the sections above it.
  private func nodesOfAPath(_ test: TestFeed) throws -> Int {
    let layout = try #require(try test.cache.inspect(dataset: "feed").layouts.first)
    return try #require(layout.sections.first).treeDepth + layout.tree.depth
  }

  private static func resize(_ item: Int, _ width: Int64, _ height: Int64) -> BatchOperation {
    .resize(
      key: "s-\(item)",
      size: Size(width: Length(units: width * 64), height: Length(units: height * 64)))
  }

  /// A change of the item in the middle of a block's third line, and the items that it breaks
  /// into lines again, from that line on.
  struct Change: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var kind: Kind
    var recomputedItems: Int
    var operation: @Sendable (_ item: Int) throws -> BatchOperation

    init(
      _ description: String, _ kind: Kind, _ count: Int,
      _ operation: @escaping @Sendable (_ item: Int) throws -> BatchOperation
    ) {
      (testDescription, self.kind, recomputedItems) = (description, kind, count)
      self.operation = operation
    }
  }

  private static func insert(_ item: Int) throws -> BatchOperation {
    .insert([try Item(key: "new", width: 100, height: 100)], at: .before("s-\(item)"))
  }

  static let changes = [
    // Up to the item that fills a line and opens one as before.
    Change("a wider item of a flow", .flow, 31) { resize($0, 150, 100) },
    // The line, and the next item, for which it has no room.
    Change("a longer item of a flow", .flow, 11) { resize($0, 100, 150) },
    Change("an item more in a flow", .flow, 32) { try insert($0) },
    Change("an item less in a flow", .flow, 30) { .delete(keys: ["s-\($0)"]) },
    Change("a wider item of a row", .justified, 31) { resize($0, 200, 100) },
    // A row is closed without reading the items after it.
    Change("an item of a row, larger", .justified, 10) { resize($0, 300, 300) },
    Change("an item more in a row", .justified, 32) { try insert($0) },
    Change("an item less in a row", .justified, 30) { .delete(keys: ["s-\($0)"]) },
  ]

  @Test(arguments: changes, [1000, 100_000])
  func aChangeInTheMiddleBreaksLinesUntilTheyAgree(change: Change, count: Int) throws {
    let test = try blocks(count, change.kind)
    let path = try nodesOfAPath(test)
    let item = count / 2 / Self.blockCount * Self.blockCount + 25
    let context = try context(test, change.operation(item))
    #expect(context.work.recomputedItems == change.recomputedItems)
    #expect(context.work.recomputedColumns == 0)
    // Nodes built in bulk are full: each on the path may be cut in two.
    #expect(context.work.changedNodes <= 2 * path)
    #expect(context.work.changedNodes <= 8)
    // Reading all of a large feed again takes most of the test's time.
    if count == 1000 { #expect(try test.cache.verify().problems.isEmpty) }
  }

  @Test(arguments: Kind.allCases, [1000, 10_000, 100_000])
  func anAppendedPageCostsTheSameAtAnySize(kind: Kind, count: Int) throws {
    let test = try feed(Array(repeating: (100, 100), count: count), kind)
    let path = try nodesOfAPath(test)
    let page = try (0..<40).map { try Item(key: "p-\($0)", width: 100, height: 100) }
    let context = try context(test, .insert(page, at: .end(section: "s")))
    // The last line may have had room.
    #expect(context.work.recomputedItems == 50)
    #expect(context.work.changedNodes <= 2 * path)
    #expect(context.section(0)?.items == RangeSet((count - 10)..<(count + 40)))
  }

  @Test(arguments: Kind.allCases, [1.0, 3])
  func anInsertAtTheStartCostsAtMostALayoutFromScratch(kind: Kind, lengths: Double) throws {
    let count = 20_000
    // Items of one width, and of one length or of several: then every line differs.
    let sizes = (0..<count).map { index -> (Double, Double) in
      let length = 100 * (1 + Double(index * 7919 % 11) / 11 * (lengths - 1))
      return kind == .flow ? (100, length) : (length, 100)
    }
    let test = try feed(sizes, kind)
    let scratch = try context(test, .invalidate(layout: "layout", everything: true))
    #expect(scratch.work.recomputedItems == count)
    let inserted = try context(
      test,
      .insert([try Item(key: "new", width: 100, height: 100)], at: .index(0, section: "s")))
    #expect(inserted.work.recomputedItems <= count + 1)
    #expect(inserted.work.changedNodes <= scratch.work.changedNodes)
    if lengths == 1 {
      // The lines have other items, but the same number and length: only the last one is new.
      #expect(inserted.work.changedNodes <= 2 * (try nodesOfAPath(test)))
    }
    #expect(try test.cache.verify().problems.isEmpty)
  }

  @Test(
    arguments: [
      #""kind":"grid","columns":5"#, #""kind":"circle","itemSize":{"width":10,"height":10}"#,
    ], [1000, 100_000])
  func computedPlacementsNeedNoWork(members: String, count: Int) throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: count))],
      configuration: #"{"container":{"width":1000},"section":{\#(members)}}"#)
    try test.read { _ in }
    let new = try Item(key: "new", width: 100, height: 100)
    for operation in [
      Self.resize(count / 2, 150, 100), .insert([new], at: .index(0, section: "s")),
      .delete(keys: ["s-\(count / 2)"]), .move(key: "s-0", to: .end(section: "s")),
    ] {
      let work = try context(test, operation).work
      #expect(work.recomputedItems == 0)
      #expect(work.recomputedColumns == 0)
      // The section's length, and the number of its items.
      #expect(work.changedNodes <= 1)
    }
  }

  @Test(arguments: Kind.allCases)
  func catchingUpBreaksALineOnceForAllItsChanges(kind: Kind) throws {
    let test = try blocks(10_000, kind)
    let first = 5000 / Self.blockCount * Self.blockCount + 20
    for round in 0..<32 {
      let side = Int64(109 + round)
      // All except the first and last of a line, which stays one line.
      try test.cache.update(
        "feed", with: [Self.resize(first + 1 + round % 8, side, side)], preparing: .none)
    }
    let preparation = try test.cache.prepare(LayoutID("layout", of: "feed"))
    let context = try #require(preparation.context)
    #expect(!context.invalidateEverything)
    // A flow's line has become too wide for its last item: the following lines shift.
    #expect(context.work.recomputedItems == (kind == .flow ? 31 : 10))
    #expect(try test.cache.verify().problems.isEmpty)
  }
}
