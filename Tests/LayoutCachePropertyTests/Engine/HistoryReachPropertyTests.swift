import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: one dataset with a layout of each kind; 13,000 operations in commits of 1 to 40, or
// LAYOUTCACHE_STEPS thousand, with undos, checkpoints, and caches that are closed or abandoned.
// The elements of each layout are recorded at some revisions. At random times one layout is asked
// for the changes since one of those revisions within the last 10,000 operations, and for the
// layout at that revision.
//
// Invariants: the answer is never "everything"; the past layout equals the record; every cell that
// the context does not name has the same position in its section; verify is clean.

@Suite struct HistoryReachPropertyTests {
  private static let kinds: [KindExample] =
    [
      KindExample.flow, KindExample.justified, KindExample.grid, KindExample.circle,
      KindExample.waterfall, KindExample.exactWaterfall,
      KindExample(name: "list", members: #""columns":1,"itemLength":"natural""#),
      KindExample(name: "custom", members: #""kind":"stack","options":{"gap":5}"#),
    ]
  private static let reach = 10_000

  fileprivate struct Shown: Equatable {
    var elements: [OracleElement]
    var size: Size
  }

  private struct Recorded {
    var revision: Int
    var shown: [Shown]
  }

  private struct Run {
    private let directory: TemporaryDirectory
    private let path: String
    var cache: LayoutCache
    var generator: SeededGenerator
    /// The keys of the items, unordered, and those before the latest commit.
    private var keys: [String] = []
    private var keysBefore: [String]?
    private var hasThird = false
    private var nextKey = 0
    /// The elements of the layouts at some revisions, by kind.
    private var recorded: [Recorded] = []
    var origin: String

    init(seed: UInt64) throws {
      origin = "seed \(seed)"
      generator = SeededGenerator(seed: seed)
      directory = try TemporaryDirectory()
      path = directory.path(of: "feed.sqlite")
      cache = try LayoutCache(path: path, sectionLayouts: TestKinds.all)
      let sections = [OracleSection.mixed("s", count: 50), .mixed("t", count: 30)]
      _ = try cache.importItems(into: "feed", mode: .create) { importer in
        for section in sections {
          for item in section.items { try importer.add(Item(item), section: section.key) }
        }
      }
      keys = sections.flatMap(\.items).map(\.key)
      for kind in HistoryReachPropertyTests.kinds {
        try cache.setLayout(
          LayoutID(kind.name, of: "feed"),
          to: ConfigurationText.decode(kind.configuration(extra: #","header":10"#)))
        try cache.prepare(LayoutID(kind.name, of: "feed"))
      }
    }

    private mutating func key() -> String { keys.randomElement(using: &generator)! }

    private mutating func operation() throws -> BatchOperation {
      let side = Double(Int.random(in: 15...90, using: &generator))
      switch Int.random(in: 0..<20, using: &generator) {
      case 0, 1:
        nextKey += 1
        let destination = key()
        keys.append("n-\(nextKey)")
        return try .insert(
          [Item(key: "n-\(nextKey)", width: side, height: 40)], at: .before(destination))
      case 2 where keys.count > 60, 3 where keys.count > 60:
        return .delete(keys: [keys.remove(at: Int.random(in: keys.indices, using: &generator))])
      case 4, 5:
        let (item, other) = (key(), key())
        if item != other { return .move(key: item, to: .after(other)) }
      case 6: return .moveSection(key: "s", index: Int.random(in: 0...1, using: &generator))
      case 7:
        hasThird.toggle()
        return hasThird
          ? .insertSection(key: "u", index: Int.random(in: 0...2, using: &generator))
          : .deleteSection(key: "u")
      case 8, 9:
        let layout = [KindExample.waterfall, .exactWaterfall, .flow]
          .randomElement(using: &generator)!.name
        return .prefer(layout: layout, key: key(), length: generator.oneIn(3) ? nil : .points(side))
      case 10: return .rebalance(layout: KindExample.waterfall.name, section: "s")
      default: break
      }
      return .resize(key: key(), size: Size(width: .points(side), height: .points(105 - side)))
    }

    mutating func commit() throws {
      if let before = keysBefore, generator.oneIn(8) {
        try cache.undo("feed")
        (keys, keysBefore) = (before, nil)
        hasThird = try cache.dataset("feed").sectionCount == 3
        return
      }
      let before = keys
      let count = Int.random(in: 1...40, using: &generator)
      let batch = try (0..<count).map { _ in try operation() }
      let revision = try cache.dataset("feed").revision
      if try cache.update("feed", with: batch).revision > revision { keysBefore = before }
    }

    mutating func record() throws {
      let revision = try cache.dataset("feed").revision
      let shown = try HistoryReachPropertyTests.kinds.map { kind in
        try cache.read(LayoutID(kind.name, of: "feed")) { try Shown($0) }
      }
      recorded.append(Recorded(revision: revision, shown: shown))
    }

    mutating func disturb() throws {
      switch Int.random(in: 0..<40, using: &generator) {
      case 0: try cache.checkpoint()
      case 1:
        try cache.close()
        try reopen()
      // As if the process were killed.
      case 2: try reopen()
      default: break
      }
    }

    private mutating func reopen() throws {
      cache = try LayoutCache(path: path, sectionLayouts: TestKinds.all)
      for kind in HistoryReachPropertyTests.kinds where !generator.oneIn(4) {
        try cache.read(LayoutID(kind.name, of: "feed")) { _ in }
      }
    }

    /// The number of operations in the log after a revision.
    func lag(of revision: Int) throws -> Int {
      try cache.store.read { reader in
        let row = try reader.requireDataset("feed")
        return try reader.logExtent(after: revision, upTo: reader.logHead(of: row.id))?.operations
          ?? .max
      }
    }

    mutating func expectHistory(of number: Int) throws {
      recorded = try recorded.filter {
        try self.lag(of: $0.revision) <= HistoryReachPropertyTests.reach
      }
      if recorded.isEmpty { return }
      let then = recorded[Int.random(in: 0..<recorded.count, using: &generator)]
      let kind = HistoryReachPropertyTests.kinds[number]
      let layout = LayoutID(kind.name, of: "feed")
      let lag = try lag(of: then.revision)
      let origin = Comment(
        rawValue: "\(self.origin): \(kind.name) since \(then.revision), \(lag) operations")
      let changes = try cache.changes(of: "feed", since: then.revision, layout: kind.name)
      let context = try #require(changes.layouts.first).context
      #expect(!context.invalidateEverything && !changes.updates.everything, origin)
      try cache.read(layout, since: then.revision) { past, present in
        let past = try #require(past, origin)
        #expect(try Shown(past) == then.shown[number], origin)
        context.expectNames(from: then.shown[number], to: try Shown(present), origin)
      }
    }

    func expectSoundFile() throws {
      #expect(try cache.verify().problems.isEmpty, "\(origin)")
    }

    /// The number of trailing checkpoints of a layout.
    func trailingCount(of kind: KindExample) throws -> Int {
      try cache.store.read { reader in
        let row = try reader.requireDataset("feed")
        return try reader.requireLayout(kind.name, of: row).result?.trailing.count ?? 0
      }
    }
  }

  @Test(arguments: [1] + PropertyRun.seeds.dropFirst(PropertyRun.fixedCount))
  func everyRevisionWithinReachIsAlwaysKnown(seed: UInt64) throws {
    var run = try Run(seed: seed)
    let operations = PropertyRun.steps(13) * 1000
    var (total, next, asked) = (0, 1500, 0)
    var trailingMost = 0
    let first = try run.cache.dataset("feed").revision
    while total < operations {
      if run.generator.oneIn(12) { try run.record() }
      try run.commit()
      try run.disturb()
      total = try run.cache.store.read { reader in
        try reader.logHead(of: reader.requireDataset("feed").id).total.operations
      }
      guard total >= next else { continue }
      next += 1500
      run.origin = "seed \(seed) after \(total) operations"
      trailingMost = max(trailingMost, try run.trailingCount(of: .waterfall))
      try run.expectHistory(of: asked % Self.kinds.count)
      asked += 1
    }
    try run.expectSoundFile()
    #expect(try run.cache.dataset("feed").revision > first)
    #expect(trailingMost > 2 && trailingMost <= 12)
    for kind in Self.kinds where kind.name != KindExample.waterfall.name && kind.name != "list" {
      #expect(try run.trailingCount(of: kind) == 0, "\(kind.name)")
    }
  }

  /// The cost rule for catching up does not apply to history.
  @Test(arguments: [KindExample.flow, .waterfall])
  func aLayoutWithoutQueriesKeepsItsHistory(kind: KindExample) throws {
    let test = try TestFeed([.mixed("s", count: 30)], configuration: kind.configuration())
    try test.read { _ in }
    for step in 1...1200 {
      let size = Size(width: 50, height: .points(Double(10 + step % 70)))
      try test.cache.update(
        "feed", with: [.resize(key: "s-\(step % 30)", size: size)], preparing: .none)
    }
    for revision in stride(from: 1, to: 1200, by: 250) {
      #expect(try isKnown(since: revision, of: test), "\(revision)")
    }
  }

  /// The operations of one batch count one by one.
  @Test(arguments: [KindExample.flow, .waterfall])
  func aHistoryIsAsLongAsDocumented(kind: KindExample) throws {
    let test = try TestFeed([.mixed("s", count: 600)], configuration: kind.configuration())
    try test.read { _ in }
    func resizeAll(_ height: Int) throws {
      try test.cache.update(
        "feed",
        with: (0..<500).map {
          .resize(key: "s-\($0)", size: Size(width: 50, height: .points(Double(height + $0 % 7))))
        })
    }
    for height in 1...20 { try resizeAll(10 * height) }
    #expect(try isKnown(since: 1, of: test))
    try resizeAll(5)
    // Now there are 10,500 operations; the last 10,000 are known.
    #expect(try !isKnown(since: 1, of: test))
    #expect(try isKnown(since: try test.read(\.revision) - 1, of: test))
  }

  private func isKnown(since revision: Int, of test: TestFeed) throws -> Bool {
    let changes = try test.cache.changes(of: "feed", since: revision, layout: "layout")
    return try !#require(changes.layouts.first).context.invalidateEverything
  }

  /// Past states are computed in a number of nodes that depends only on the operations.
  @Test(arguments: [KindExample.flow, .waterfall])
  func nodesOfPastStatesDependOnlyOnTheOperations(kind: KindExample) throws {
    var works: [Int] = []
    for items in [2000, 8000] {
      let test = try TestFeed(
        [.mixed("s", count: items)], configuration: kind.configuration(width: 1000))
      try test.read { _ in }
      var generator = SeededGenerator(seed: 7)
      var revisions: [Int] = []
      // Checkpoints every 480 operations, and none after the last.
      for step in 1...200 {
        let batch = (0..<40).map { _ in
          BatchOperation.resize(
            key: "s-\(Int.random(in: 0..<items, using: &generator))",
            size: Size(width: .points(50), height: .points(Double(20 + step % 9))))
        }
        revisions.append(try test.cache.update("feed", with: batch).revision)
        if step % 12 == 0 { try test.cache.checkpoint() }
      }
      let since = revisions[revisions.count - 1 - 125]
      let work = try test.cache.store.read { reader in
        let state = try test.cache.current("feed", known: nil, reader: reader)
        let past = try #require(
          try state.past(ofLayout: "layout", at: since, reader, kinds: test.cache.customKinds))
        #expect(past.dataset.revision == since)
        return past.dataset.edits.createdNodes + past.layout.edits.createdNodes
      }
      works.append(work)
    }
    // At most some nodes for each of 5,000 operations, whatever the number of items.
    #expect(works.allSatisfy { (100...20_000).contains($0) }, "\(works)")
    #expect(works[1] < works[0] * 6, "\(works)")
  }
}

extension HistoryReachPropertyTests.Shown {
  fileprivate init(_ snapshot: LayoutSnapshot) throws {
    self.init(elements: try OracleElement.all(of: snapshot), size: snapshot.contentSize)
  }

  /// The cells by key, with their positions relative to their sections' headers.
  fileprivate var cells: [String: OracleElement] {
    var starts: [Int: Int64] = [:]
    for element in elements where element.kind == "header" { starts[element.section] = element.y }
    return Dictionary(
      uniqueKeysWithValues: elements.compactMap { element in
        guard let key = element.key else { return nil }
        var cell = element
        cell.y -= starts[element.section] ?? 0
        return (key, cell)
      })
  }
}

extension InvalidationContext {
  /// Checks that each cell whose position in its section has changed is named.
  fileprivate func expectNames(
    from old: HistoryReachPropertyTests.Shown, to new: HistoryReachPropertyTests.Shown,
    _ origin: Comment
  ) {
    #expect(contentSizeAdjustment == new.size - old.size, origin)
    let before = old.cells
    for (key, cell) in new.cells {
      var former = before[key]
      // Sections move as a whole.
      if former?.sectionKey == cell.sectionKey { former?.section = cell.section }
      if former == cell { continue }
      guard section(cell.section)?.items.contains(cell.item ?? -1) == true else {
        Issue.record("\(origin): \(key) is not named")
        return
      }
    }
  }
}
