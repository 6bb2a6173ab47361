import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// The changes for a client that was disconnected.
@Suite struct ChangesTests {
  private let feed: TestFeed

  /// A dataset at revision 4, whose layout was prepared at revision 1.
  init() throws {
    feed = try TestFeed(
      [OracleSection("s", sizes: [(1, 5), (1, 5), (1, 5)]), OracleSection("t", sizes: [(1, 5)])],
      configuration: #"{"container":{"width":1},"section":{"columns":1,"itemLength":"natural"}}"#)
    try feed.read { _ in }
    for height in [6.0, 7, 8] { try resize("s-1", to: height) }
  }

  private func resize(_ key: String, to height: Double) throws {
    try feed.cache.update(
      "feed", with: [.resize(key: key, size: Size(width: 1, height: .points(height)))])
  }

  private func changes(since revision: Int) throws -> DatasetChanges {
    try feed.cache.changes(of: "feed", since: revision, layout: "layout")
  }

  /// Revision 1 is the import: earlier revisions have no changes.
  @Test(arguments: [0, -1, Int.min])
  func revisionsBeforeTheDatasetGiveEverything(revision: Int) throws {
    let changes = try changes(since: revision)
    #expect(changes.updates.everything)
    #expect(changes.layouts.map(\.context.invalidateEverything) == [true])
    let reason: InvalidationReason = revision == 0 ? .imported : .logCut
    #expect(changes.updates.reason == reason)
    #expect(changes.layouts.map(\.context.reason) == [reason])
  }

  @Test func compactingKeepsTheContexts() throws {
    try feed.cache.compact()
    for revision in 2...4 {
      #expect(try changes(since: revision).layouts.map(\.context.reason) == [nil])
    }
  }

  /// A context above 4 KiB names one range of items in each section; the log tells each item.
  @Test func aLongContextIsCoarse() throws {
    try feed.importItems([.mixed("s", count: 6000)], mode: .replace)
    try feed.read { _ in }
    let revision = try feed.read(\.revision)
    let commit = try feed.cache.update(
      "feed", with: [.invalidate(layout: "layout", items: (0..<3000).map { "s-\($0 * 2)" })])
    let context = try #require(changes(since: revision).layouts.first).context
    let exact = try #require(commit.layouts.first).context
    #expect(!exact.isCoarse && context.isCoarse && context.reason == nil)
    #expect(context.sections[0].items.ranges.count == 1)
    #expect(exact.sections[0].items.isSubset(of: context.sections[0].items))
    #expect(context.contentSizeAdjustment == exact.contentSizeAdjustment)
    #expect(exact.encoded.count > 4096 && context.encoded.count < 4096)
    try resize("s-1", to: 9)
    #expect(try #require(changes(since: revision + 1).layouts.first).context.isCoarse == false)
  }

  @Test func aTruncatedLogGivesEverything() throws {
    try feed.cache.checkpoint()
    let database = try RawDatabase(path: feed.path)
    try database.execute("DELETE FROM log WHERE revision <= 3")
    #expect(try changes(since: 2).updates.everything)
    #expect(try changes(since: 3).updates.items.count == 1)
  }

  /// Damage to log entries that neither a layout nor a client needs is not an error of the dataset.
  @Test func damageBeforeTheCheckpointGivesEverything() throws {
    try feed.cache.checkpoint()
    let database = try RawDatabase(path: feed.path)
    try database.execute("UPDATE log SET payload = zeroblob(3) WHERE revision = 4")
    #expect(try changes(since: 2).updates.everything)
  }

  @Test func anImportGivesEverything() throws {
    try feed.importItems([OracleSection("s", sizes: [(1, 9)])], mode: .replace)
    let changes = try changes(since: 4)
    #expect(changes.revision == 5)
    #expect(changes.updates.reason == .imported)
    #expect(changes.layouts.map(\.context.reason) == [.imported])
  }

  @Test func anotherConfigurationGivesEverythingUntilItIsLaidOut() throws {
    let other = #"{"container":{"width":2},"section":{"columns":2,"itemLength":"natural"}}"#
    try feed.set(other)
    #expect(try changes(since: 3).layouts.map(\.context.reason) == [.relaid])
    #expect(try changes(since: 4).layouts.map(\.context.reason) == [.relaid])
    try feed.read { _ in }
    let changes = try changes(since: 4)
    #expect(changes.layouts.map(\.context.isEmpty) == [true])
    let answer = try feed.read { $0.incarnation }
    #expect(answer.rawValue.hasSuffix("-\(changes.layouts[0].incarnation)"))
  }

  @Test func changesWithoutALayoutNameNoLayouts() throws {
    let changes = try feed.cache.changes(of: "feed", since: 2)
    #expect(changes.layouts.isEmpty)
    #expect(changes.updates.items.count == 1)
    #expect(throws: LayoutCacheError.self) {
      try feed.cache.changes(of: "feed", since: 2, layout: "none")
    }
  }

  @Test func readingChangesWritesNothing() throws {
    let database = try RawDatabase(path: feed.path)
    let before = try database.number("PRAGMA data_version")
    _ = try changes(since: 2)
    _ = try changes(since: 0)
    #expect(try database.number("PRAGMA data_version") == before)
  }
}
