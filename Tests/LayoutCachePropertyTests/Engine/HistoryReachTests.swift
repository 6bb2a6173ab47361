import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: one dataset per kind, thousands of commits of one operation each, by one cache after
// the other, with checkpoints between them; some caches are closed, others abandoned. The oracle's
// states at some revisions are stored.
//
// Invariants: the changes since each of these revisions are complete and name items; the layout at
// that revision equals the oracle's; catching up does not change the history.

@Suite struct HistoryReachTests {
  private static let custom = KindExample(
    name: "custom", members: #""kind":"stack","options":{"gap":5}"#)
  private static let kinds =
    PropertyRun.isThorough ? KindExample.every + [custom] : [KindExample.every[0], custom]
  private static let layout = LayoutID("layout", of: "feed")

  private struct Run {
    let test: TestFeed
    var cache: LayoutCache
    var dataset: OracleDataset
    var history: [OracleDataset] = []
    var generator: SeededGenerator
    var nextKey = 0

    init(_ kind: KindExample, seed: UInt64, items: Int) throws {
      generator = SeededGenerator(seed: seed)
      let text = kind.configuration(extra: #","header":10"#)
      let sections = [OracleSection.mixed("s", count: items), .mixed("t", count: 20)]
      test = try TestFeed(sections, configuration: text)
      cache = test.cache
      dataset = try OracleDataset(
        name: "feed", sections: sections, layouts: [(name: "layout", text: text)])
      try cache.prepare(HistoryReachTests.layout)
      try dataset.prepare(0)
      history = [dataset]
    }

    /// One operation on a random item that does not change the number of items.
    mutating func commit(preparing layouts: UpdatedLayouts = .inUse) throws {
      let items = dataset.sections.flatMap(\.items)
      let key = items.randomElement(using: &generator)!.key
      let side = Double(Int.random(in: 15...90, using: &generator))
      let operation: OracleOperation
      switch Int.random(in: 0..<10, using: &generator) {
      case 0:
        nextKey += 1
        let item = OracleItem(key: "n-\(nextKey)", width: side, height: 40)
        operation = .insert(items: [item], at: .before(key))
      case 1 where items.count > 20: operation = .delete(keys: [key])
      case 2:
        let other = items.randomElement(using: &generator)!.key
        operation = other == key ? .delete(keys: [key]) : .move(key: key, to: .after(other))
      default: operation = .resize(key: key, width: side, height: 105 - side)
      }
      let batch = [OracleDataset.Operation(operation, layout: 0)]
      var next = dataset
      try next.apply(batch)
      let commit = try cache.update(
        "feed", with: batch.map { try BatchOperation($0, in: dataset) }, preparing: layouts)
      try #require(commit.revision == next.revision)
      dataset = next
    }

    mutating func remember() { history.append(dataset) }

    mutating func reopen(closing: Bool) throws {
      if closing { try cache.close() }
      cache = try LayoutCache(path: test.path, sectionLayouts: TestKinds.all)
    }

    /// Checks the changes since each stored revision.
    func expectHistory(_ origin: String) throws {
      for then in history {
        let origin = Comment(rawValue: "\(origin), \(then.revision)...\(dataset.revision)")
        let changes = try cache.changes(of: "feed", since: then.revision, layout: "layout")
        let context = try #require(changes.layouts.first?.context)
        #expect(!context.invalidateEverything && !changes.updates.everything, origin)
        context.expectComplete(
          before: then.layouts[0].feed.oracle, after: dataset.layouts[0].feed.oracle, origin)
        let past = try cache.read(HistoryReachTests.layout, since: then.revision) { past, _ in
          try past.map { try OracleElement.all(of: $0) }
        }
        #expect(past == OracleElement.all(of: then.layouts[0].feed.oracle), origin)
      }
    }
  }

  @Test(arguments: kinds)
  func contextsAndPastSnapshotsReachOverThousandsOfCommits(kind: KindExample) throws {
    var run = try Run(kind, seed: 1, items: 40)
    for step in 1...2500 {
      try run.commit()
      if step.isMultiple(of: 300) { run.remember() }
      switch step {
      case 300: try run.cache.checkpoint()
      case 1400: try run.reopen(closing: true)
      // As if the process were killed.
      case 2200: try run.reopen(closing: false)
      default: break
      }
      // A new process has no active layouts.
      if step == 1800 || step == 2300 { try run.cache.read(Self.layout) { _ in } }
    }
    try run.expectHistory(kind.name)
    #expect(try run.cache.verify().problems.isEmpty)
  }

  /// The cost rule for catching up does not apply to history.
  @Test(arguments: kinds)
  func aLayoutWithoutQueriesKeepsItsHistory(kind: KindExample) throws {
    var run = try Run(kind, seed: 2, items: 30)
    for step in 1...1200 {
      try run.commit(preparing: .none)
      if step.isMultiple(of: 250) { run.remember() }
    }
    try run.expectHistory(kind.name)
  }

  /// The operations of one batch count one by one.
  @Test(arguments: kinds)
  func aHistoryIsAsLongAsDocumented(kind: KindExample) throws {
    let test = try TestFeed(
      [.mixed("s", count: 600)], configuration: kind.configuration())
    try test.read { _ in }
    func resizeAll(_ height: Int) throws {
      try test.cache.update(
        "feed",
        with: (0..<500).map {
          .resize(key: "s-\($0)", size: Size(width: 50, height: .points(Double(height + $0 % 7))))
        })
    }
    func isKnown(since revision: Int) throws -> Bool {
      let changes = try test.cache.changes(of: "feed", since: revision, layout: "layout")
      return try !#require(changes.layouts.first).context.invalidateEverything
    }
    let first = try test.read(\.revision)
    for height in 1...20 { try resizeAll(10 * height) }
    #expect(try isKnown(since: first))
    try resizeAll(5)
    // Now there are 10,500 operations; the last 10,000 are known.
    #expect(try !isKnown(since: first))
    #expect(try isKnown(since: try test.read(\.revision) - 1))
  }
}
