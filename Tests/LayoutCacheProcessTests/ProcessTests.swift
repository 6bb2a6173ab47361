import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

// Strategy: two caches on one file, as in two processes, take turns at batches, or write
// and read concurrently; and one real second process writes while this one does. SQLite's own
// lock is held to test a writer that can't get it.
//
// Invariants: every commit of one cache is visible to the other's next query; the answers of
// both equal the oracle's after all batches in the order of their revisions; no query sees half
// of a batch or of a checkpoint; a writer that waits in vain gets a busy error and has changed
// nothing.

@Suite struct ProcessTests {
  private static let column =
    #"{"container":{"width":1},"section":{"columns":1,"#
    + #""itemLength":"natural"}}"#

  /// A batch whose effect depends on its position among the others.
  private static func batch(_ number: Int, of writer: String) -> [OracleOperation] {
    let key = "\(writer) \(number)"
    let item = OracleItem(key: key, width: 1, height: Double(1 + number % 7), span: number % 3)
    var batch: [OracleOperation] = [.insert(items: [item], at: .index(0, section: "s"))]
    if number > 2 {
      batch.append(.move(key: "\(writer) \(number - 2)", to: .before("middle")))
    }
    if number % 5 == 4 { batch.append(.delete(keys: ["\(writer) \(number - 3)"])) }
    return batch
  }

  /// Commits batches, and writes the revision of each into a file.
  private static func write(
    _ count: Int, as writer: String, to path: String, revisions: String
  ) throws {
    let cache = try LayoutCache(path: path)
    var lines = ""
    for number in 1...count {
      let batch = try batch(number, of: writer).map { try BatchOperation($0) }
      lines += "\(try cache.update("feed", with: batch, preparing: .upToDate).revision)\n"
      if number % 10 == 0 { try cache.checkpoint() }
    }
    try lines.write(toFile: revisions, atomically: true, encoding: .utf8)
    try cache.close()
  }

  @Test func twoProcessesWriteConcurrently() async throws {
    let text =
      #"{"container":{"width":30},"section":{"kind":"waterfall","columns":3,"#
      + #""itemLength":"natural"}}"#
    let sections = [
      OracleSection(key: "s", items: [OracleItem(key: "middle", width: 1, height: 9)])
    ]
    let test = try TestFeed(sections, configuration: text)
    var oracle = try OracleFeed(configuration: text, sections: sections)
    try await test.cache.performPrepare(LayoutID("layout", of: "feed"))
    let (path, directory) = (test.path, test.directory)
    let count = PropertyRun.steps(60)
    let own = Task.detached {
      try Self.write(count, as: "own", to: path, revisions: directory.path(of: "own"))
    }
    let childLog = directory.path(of: "child")
    await #expect(processExitsWith: .success) {
      [path = path as String, childLog = childLog as String, count = count as Int] in
      try Self.write(count, as: "child", to: path, revisions: childLog)
    }
    try await own.value
    var order: [(revision: Int, batch: [OracleOperation])] = []
    for writer in ["own", "child"] {
      let lines = try String(contentsOfFile: directory.path(of: writer), encoding: .utf8)
      for (index, line) in lines.split(separator: "\n").enumerated() {
        order.append((try #require(Int(line)), Self.batch(index + 1, of: writer)))
      }
    }
    order.sort { $0.revision < $1.revision }
    #expect(order.map(\.revision) == Array(2...(2 * count + 1)))
    for entry in order { try oracle.apply(entry.batch) }
    #expect(try OracleElement.all(of: test.cache) == OracleElement.all(of: oracle.oracle))
    #expect(try test.cache.verify().problems.isEmpty)
  }

  @Test func readersSeeWholeRevisionsDuringACheckpointByAnotherCache()
    async throws
  {
    // Items whose length is the revision number, in several leaves.
    let count = 150
    let revisions = PropertyRun.steps(40)
    let feed = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (1, 1), count: count))],
      configuration: Self.column)
    let (path, cache) = (feed.path, feed.cache)
    try await cache.performPrepare(LayoutID("layout", of: "feed"))
    let writing = Writing()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { writing.end() }
        for revision in 2...(revisions + 1) {
          let length = try #require(Length(points: Double(revision)))
          let size = Size(width: Length(units: 64), height: length)
          let commit = try cache.update(
            "feed",
            with: (0..<count).map { .resize(key: "s-\($0)", size: size, columnSpan: nil) })
          #expect(commit.revision == revision)
          if revision % 3 == 0 { try cache.checkpoint() }
        }
      }
      for reader in 0..<2 {
        group.addTask {
          var other = try LayoutCache(path: path)
          var seen = 1
          while seen <= revisions {
            // One of the readers has nothing in memory, every time.
            if reader == 1 { other = try LayoutCache(path: path) }
            let start = seen
            let hasEnded = writing.hasEnded
            seen = try other.read(LayoutID("layout", of: "feed")) { snapshot in
              let length = Double(snapshot.revision)
              #expect(snapshot.contentSize.height.points == length * Double(count))
              let found = try OracleElement.all(of: snapshot)
              #expect(found.count == count)
              #expect(found.allSatisfy { $0.height == Int64(length * 64) })
              let one = try snapshot.attributes(forKey: "s-\(count / 2)")
              #expect(one?.frame.minY.points == length * Double(count / 2))
              #expect(snapshot.revision >= start)
              return snapshot.revision
            }
            // A reader that does not see the last commit now has missed it.
            if hasEnded {
              #expect(seen == revisions + 1)
              break
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func aWriterWithoutTheLockReportsBusyAndChangesNothing() throws {
    let feed = try TestFeed(
      [OracleSection("s", sizes: [(1, 5), (1, 6)])], configuration: Self.column)
    var options = LayoutCacheOptions()
    options.busyTimeout = 0.05
    let cache = try LayoutCache(path: feed.path, options: options)
    let item = try Item(key: "a", width: 1, height: 2)
    let insertion = BatchOperation.insert([item], at: .end(section: "s"))
    try cache.update("feed", with: [.delete(keys: ["s-1"])])
    let before = try OracleElement.all(of: cache)
    func expectBusy(_ body: () throws -> Void) {
      #expect(performing: body, throws: { ($0 as? LayoutCacheError)?.category == .busy })
    }
    let lock = try RawDatabase(path: feed.path)
    try lock.execute("BEGIN IMMEDIATE")
    expectBusy { try cache.update("feed", with: [insertion]) }
    expectBusy { try cache.checkpoint() }
    expectBusy { _ = try cache.importItems(into: "feed", mode: .append) { try $0.add(item) } }
    expectBusy { _ = try cache.importItems(into: "new", mode: .create) { try $0.add(item) } }
    expectBusy {
      try cache.setLayout(
        LayoutID("other", of: "feed"), to: ConfigurationText.decode(Self.column))
    }
    // Queries do not wait.
    #expect(try OracleElement.all(of: cache) == before)
    #expect(try cache.datasets().map(\.revision) == [2])
    #expect(try cache.layouts(of: "feed").map(\.name) == ["layout"])
    try lock.execute("ROLLBACK")
    #expect(try OracleElement.all(of: cache) == before)
    #expect(try OracleElement.all(of: feed.cache) == before)
    #expect(try cache.update("feed", with: [insertion]).revision == 3)
    #expect(try OracleElement.all(of: feed.cache).compactMap(\.key) == ["s-0", "a"])
    try cache.checkpoint()
    #expect(try cache.verify().problems.isEmpty)
  }
}

/// Whether a writer is still at work.
private final class Writing: Sendable {
  private let ended = Atomic(false)

  var hasEnded: Bool { ended.load(ordering: .acquiring) }

  func end() { ended.store(true, ordering: .releasing) }
}
