import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Strategy: a second process writes while this one does. SQLite's own lock is held to test a
// writer that can't get it. `SnapshotTests` and `WorldThreadsTests` read while caches write.
//
// Invariants: the answers equal the oracle's after all batches in the order of their revisions; a
// writer that waits in vain gets a busy error and has changed nothing.

@Suite struct ProcessTests {
  private static let column =
    #"{"container":{"width":1},"section":{"columns":1,"#
    + #""itemLength":"natural"}}"#

  /// A batch whose effect depends on its position among the others.
  private static func batch(_ number: Int, of writer: String) -> [OracleOperation] {
    let key = "\(writer) \(number)"
    let item = OracleItem(key: key, width: 1, height: Double(1 + number % 7), span: number % 3)
    var batch: [OracleOperation] = [.insert(items: [item], at: .index(0, section: "s"))]
    if number > 2 { batch.append(.move(key: "\(writer) \(number - 2)", to: .before("middle"))) }
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
      try cache.setLayout(LayoutID("other", of: "feed"), to: ConfigurationText.decode(Self.column))
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
