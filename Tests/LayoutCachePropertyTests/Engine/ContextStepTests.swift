import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: one dataset with a layout of each kind; some thousand operations in commits of 1 to 40,
// with undos, checkpoints, and caches that are closed or abandoned, or of which a second one commits.
// The elements of each layout are recorded at some revisions. At random times one layout is asked for
// the changes since one of those revisions, and for the layout at that revision.
//
// Invariants: the changes are known since every revision from which on each commit was followed, by
// whichever cache; every cell that the context does not name has the same position in its section;
// a past layout equals the record; verify is clean.

@Suite struct ContextStepTests {
  private static let kinds: [KindExample] =
    [
      KindExample.flow, KindExample.justified, KindExample.grid, KindExample.circle,
      KindExample.waterfall, KindExample.exactWaterfall,
      KindExample(name: "list", members: #""columns":1,"itemLength":"natural""#),
      KindExample(name: "custom", members: #""kind":"stack","options":{"gap":5}"#),
    ]

  fileprivate struct Shown: Equatable {
    var elements: [OracleElement]
    var size: Size
  }

  private struct Recorded {
    var revision: Int
    var shown: [Shown]
    /// The layouts that a cache has not updated with a commit since.
    var unfollowed: Set<Int> = []
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
    /// The layouts that the cache has not read since it was opened.
    private var unread: Set<Int> = []
    private(set) var pastCount = 0
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
      for kind in ContextStepTests.kinds {
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
      for index in recorded.indices { recorded[index].unfollowed.formUnion(unread) }
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
      // A second cache commits without updating a layout; the first one follows.
      let isOther = unread.isEmpty && generator.oneIn(8)
      let committing = isOther ? try LayoutCache(path: path, sectionLayouts: TestKinds.all) : cache
      let commit = try committing.update("feed", with: batch, preparing: isOther ? .none : .inUse)
      if commit.revision > revision { keysBefore = before }
      if isOther { try readAll() }
    }

    mutating func record() throws {
      let revision = try cache.dataset("feed").revision
      unread = []
      let shown = try ContextStepTests.kinds.map { kind in
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
      unread = Set(ContextStepTests.kinds.indices)
      if !generator.oneIn(4) { try readAll() }
    }

    private mutating func readAll() throws {
      for kind in ContextStepTests.kinds {
        try cache.read(LayoutID(kind.name, of: "feed")) { _ in }
      }
      unread = []
    }

    mutating func expectHistory(of number: Int) throws {
      guard let then = recorded.randomElement(using: &generator) else { return }
      let kind = ContextStepTests.kinds[number]
      let layout = LayoutID(kind.name, of: "feed")
      let origin = Comment(rawValue: "\(self.origin): \(kind.name) since \(then.revision)")
      try cache.read(layout) { _ in }
      let changes = try cache.changes(of: "feed", since: then.revision, layout: kind.name)
      let context = try #require(changes.layouts.first).context
      if !then.unfollowed.contains(number) { #expect(context.reason == nil, origin) }
      try cache.read(layout, since: then.revision) { past, present in
        if context.reason == nil {
          context.expectNames(from: then.shown[number], to: try Shown(present), origin)
        }
        guard let past else { return }
        pastCount += 1
        #expect(try Shown(past) == then.shown[number], origin)
      }
    }

    func expectSoundFile() throws {
      #expect(try cache.verify().problems.isEmpty, "\(origin)")
    }
  }

  @Test(arguments: [1] + PropertyRun.seeds.dropFirst(PropertyRun.fixedCount))
  func changesAreKnownSinceEveryFollowedRevision(seed: UInt64) throws {
    var run = try Run(seed: seed)
    for step in 1...(PropertyRun.steps(3) * 100) {
      run.origin = "seed \(seed), step \(step)"
      if run.generator.oneIn(12) { try run.record() }
      try run.commit()
      try run.disturb()
      if step % 15 == 0 { try run.expectHistory(of: step / 15 % Self.kinds.count) }
    }
    try run.expectSoundFile()
    #expect(run.pastCount > 5)
  }

  /// A layout that commits did not update is known since the boundaries of its steps.
  @Test(arguments: [KindExample.flow, .waterfall])
  func aLayoutThatCatchesUpIsKnownSinceItsLastResult(kind: KindExample) throws {
    let test = try TestFeed([.mixed("s", count: 30)], configuration: kind.configuration())
    try test.read { _ in }
    func resize(_ steps: ClosedRange<Int>, preparing layouts: UpdatedLayouts) throws {
      for step in steps {
        let size = Size(width: 50, height: .points(Double(10 + step % 70)))
        try test.cache.update(
          "feed", with: [.resize(key: "s-\(step % 30)", size: size)], preparing: layouts)
      }
    }
    try resize(1...20, preparing: .inUse)
    try test.cache.checkpoint()
    try resize(21...1400, preparing: .none)
    #expect(try reason(since: 1, of: test) == nil && reason(since: 21, of: test) == nil)
    #expect(try reason(since: 700, of: test) == .notFollowed)
    try test.read { _ in }
    try resize(1401...1410, preparing: .inUse)
    for revision in [1, 10, 21, 1401, 1406, 1411] {
      #expect(try reason(since: revision, of: test) == nil, "\(revision)")
    }
    #expect(try reason(since: 700, of: test) == .notFollowed)
    // A commit stores what it leaves, so that the step after it begins there.
    try resize(1411...1420, preparing: .none)
    let last = 1421
    #expect(try reason(since: 1405, of: test) == nil && reason(since: last, of: test) == nil)
    #expect(try reason(since: last - 5, of: test) == .notFollowed)
    try resize(1421...2500, preparing: .inUse)
    #expect(try reason(since: 1405, of: test) == nil)
    #expect(try test.cache.verify().problems.isEmpty)
  }

  /// Each commit stores a short context in its row of the log, and no other row.
  @Test(arguments: [KindExample.flow, .waterfall])
  func eachCommitStoresAShortContext(kind: KindExample) throws {
    let test = try TestFeed(
      [.mixed("s", count: 2000)], configuration: kind.configuration(width: 1000))
    try test.read { _ in }
    let before = try test.read(\.revision)
    for step in 1...200 {
      let size = Size(width: .points(50), height: .points(Double(20 + step % 9)))
      try test.cache.update("feed", with: [.resize(key: "s-\(step * 7 % 2000)", size: size)])
    }
    try test.cache.store.read { reader in
      let row = try reader.requireDataset("feed")
      let result = try #require(try reader.requireLayout("layout", of: row).result)
      try reader.forEachLogRow(after: before, upTo: reader.logHead(of: row.id)) { entry in
        let context = try LoggedContexts(entry).context(in: result.space, path: reader.path)
        #expect(context.map { $0.count < 64 } == true)
      }
      #expect(try reader.contextBytes(in: result.space) == 0)
    }
    #expect(try reason(since: before, of: test) == nil)
  }

  private func reason(since revision: Int, of test: TestFeed) throws -> InvalidationReason? {
    let changes = try test.cache.changes(of: "feed", since: revision, layout: "layout")
    return try #require(changes.layouts.first).context.reason
  }
}

extension ContextStepTests.Shown {
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
    from old: ContextStepTests.Shown, to new: ContextStepTests.Shown,
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
