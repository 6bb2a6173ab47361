import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

// Strategy: calls of a cache and its snapshots after closing; closing from within calls; and
// closing while other threads are in calls, which finish undisturbed, or begin calls, which are
// rejected. The file's memory is unmapped when it is closed: an access to it then kills the
// process, and with it the test.

@Suite struct ClosingTests {
  private static let configuration =
    #"{"container":{"width":100},"section":{"columns":2,"header":10}}"#
  private static let everything = Rect(
    x: .zero, y: .zero, width: Length(units: 64 * 100), height: Length(units: 64 * 1_000_000))

  private func feed(items: Int = 40) throws -> TestFeed {
    try TestFeed(
      [
        OracleSection("a", sizes: Array(repeating: (10, 20), count: items)),
        OracleSection("b", sizes: [(10, 10)]),
      ], configuration: Self.configuration)
  }

  private func isClosed(_ error: (any Error)?, _ path: String) -> Bool {
    guard let error = error as? LayoutCacheError, case .closed(path) = error.code else {
      return false
    }
    return error.category == .usage && error.description.contains(path)
  }

  private func expectClosed(
    _ what: String, _ path: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws -> Void
  ) {
    let error = #expect(throws: LayoutCacheError.self, "\(what)", sourceLocation: sourceLocation) {
      try call()
    }
    #expect(isClosed(error, path), "\(what)", sourceLocation: sourceLocation)
  }

  @Test func everyCallAfterCloseThrowsClosed() throws {
    let feed = try feed()
    let cache = feed.cache
    let configuration = try ConfigurationText.decode(Self.configuration)
    try cache.close()
    let calls: [(String, () throws -> Void)] = [
      ("datasets", { _ = try cache.datasets() }),
      ("forEachSection", { try cache.forEachSection(of: "feed") { _ in } }),
      ("forEachItem", { try cache.forEachItem(of: "feed") { _, _ in } }),
      ("layouts", { _ = try cache.layouts(of: "feed") }),
      ("layout", { _ = try cache.layout(LayoutID("layout", of: "feed")) }),
      ("setLayout", { try cache.setLayout(LayoutID("other", of: "feed"), to: configuration) }),
      (
        "setLayout of a bad name",
        { try cache.setLayout(LayoutID("", of: "feed"), to: configuration) }
      ),
      ("removeLayout", { try cache.removeLayout(LayoutID("layout", of: "feed")) }),
      ("prepare", { try cache.prepare(LayoutID("layout", of: "feed")) }),
      ("read", { try feed.read { _ in } }),
      ("read of none", { try cache.read(LayoutID("none", of: "none")) { _ in } }),
      ("update", { try cache.update("feed", with: [.delete(keys: ["a-0"])]) }),
      ("update with nothing", { try cache.update("feed", with: []) }),
      ("checkpoint", { try cache.checkpoint() }),
      ("verify", { _ = try cache.verify() }),
      ("verify of one", { _ = try cache.verify(dataset: "feed") }),
      ("inspect", { _ = try cache.inspect() }),
      ("inspect of one", { _ = try cache.inspect(dataset: "feed") }),
    ]
    for (name, call) in calls { expectClosed(name, feed.path, call) }
    for mode in [ImportMode.create, .append, .replace] {
      var hasBegun = false
      expectClosed("importItems, \(mode)", feed.path) {
        _ = try cache.importItems(into: "feed", mode: mode) { _ in hasBegun = true }
      }
      #expect(!hasBegun)
    }
    #expect(cache.path == feed.path)
  }

  /// With none of its nodes in memory, and with all.
  @Test(arguments: [false, true])
  func everyQueryOfAKeptSnapshotThrowsClosed(isLoaded: Bool) throws {
    let feed = try feed()
    let snapshot = try feed.read { $0 }
    if isLoaded { _ = try snapshot.elements(in: Self.everything) }
    try feed.cache.close()
    let path = IndexPath(section: 0, item: 0)
    let calls: [(String, () throws -> Void)] = [
      ("elements", { _ = try snapshot.elements(in: Self.everything) }),
      ("elements nowhere", { _ = try snapshot.elements(in: Rect(origin: .zero, size: .zero)) }),
      ("element", { _ = try snapshot.element(at: .zero) }),
      ("indexPath", { _ = try snapshot.indexPath(ofKey: "a-0") }),
      ("attributes", { _ = try snapshot.attributes(forKey: "a-0") }),
      ("attributes at", { _ = try snapshot.attributes(at: path) }),
      (
        "attributes of nothing", { _ = try snapshot.attributes(at: IndexPath(section: 9, item: 9)) }
      ),
      ("header", { _ = try snapshot.attributes(forSupplementary: .header, inSection: 0) }),
      ("background", { _ = try snapshot.attributes(forDecoration: "card", inSection: 0) }),
      ("keys", { _ = try snapshot.keys(ofItems: 0..<1, inSection: 0) }),
      ("forEachSection", { try snapshot.forEachSection { _ in true } }),
      ("forEachSection after the last", { try snapshot.forEachSection(from: 9) { _ in true } }),
      ("columnEnds", { _ = try snapshot.columnEnds(inSection: 0) }),
    ]
    for (name, call) in calls { expectClosed(name, feed.path, call) }
    #expect(snapshot.itemCount == 41)
  }

  @Test func closingAgainDoesNothing() throws {
    let feed = try feed()
    try feed.cache.update("feed", with: [.delete(keys: ["a-0"])])
    try feed.cache.close()
    try feed.cache.close()
    try Threads.start(4) { _ in try feed.cache.close() }.join()
    let reopened = try LayoutCache(path: feed.path)
    // The trees include the log's changes; the log is kept for queries of changes.
    let stored = try RawDatabase(path: feed.path).number("SELECT revision FROM datasets")
    #expect(try stored == Int64(reopened.dataset("feed").revision))
    #expect(try reopened.datasets().first?.itemCount == 40)
    try reopened.close()
  }

  @Test func aCacheWithoutChangesClosesWithoutALock() throws {
    let feed = try feed()
    let log = RecordingLog()
    var options = LayoutCacheOptions()
    options.busyTimeout = 0
    let reader = try LayoutCache(path: feed.path, options: options, logger: log.logger)
    let lock = try RawDatabase(path: feed.path)
    try lock.execute("BEGIN IMMEDIATE")
    #expect(try reader.datasets().count == 1)
    try reader.close()
    #expect(log.messages == [])
    try lock.execute("ROLLBACK")
  }

  @Test func closingWithinACallIsRejectedAndTheCacheStaysOpen() throws {
    let feed = try feed()
    let cache = feed.cache
    func expectInUse(_ call: (_ close: () throws -> Void) throws -> Void) throws {
      let error = #expect(throws: LayoutCacheError.self) { try call { try cache.close() } }
      guard case .inUse(feed.path)? = error?.code else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(error?.category == .usage)
      #expect(try cache.datasets().count == 1)
    }
    try expectInUse { close in try feed.read { _ in try close() } }
    try expectInUse { close in try cache.forEachItem(of: "feed") { _, _ in try close() } }
    try expectInUse { close in try cache.forEachSection(of: "feed") { _ in try close() } }
    try expectInUse { close in
      _ = try cache.importItems(into: "other", mode: .create) { _ in try close() }
    }
    try expectInUse { close in
      try feed.read { _ in try cache.forEachItem(of: "feed") { _, _ in try close() } }
    }
    try cache.close()
  }

  @Test func closeWaitsForRunningCalls() throws {
    let feed = try feed(items: 4000)
    let cache = feed.cache
    let kept = try feed.read { $0 }
    let (hasBegun, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let events = Mutex<[String]>([])
    let reading = Threads.start { _ in
      try cache.read(LayoutID("layout", of: "feed")) { snapshot in
        hasBegun.signal()
        mayGoOn.wait()
        // Nodes are loaded, a call is nested, and one writes.
        #expect(try snapshot.elements(in: Self.everything).elements.count == 4003)
        #expect(try cache.datasets().count == 1)
        try cache.update("feed", with: [.delete(keys: ["a-0"])])
        events.withLock { $0.append("read") }
      }
    }
    hasBegun.wait()
    let closing = Threads.start { _ in
      try cache.close()
      events.withLock { $0.append("closed") }
    }
    // Calls are rejected from the moment that the closing thread waits.
    let deadline = ContinuousClock.now + .seconds(30)
    var refusal: (any Error)?
    while refusal == nil && ContinuousClock.now < deadline {
      do { _ = try cache.datasets() } catch { refusal = error }
    }
    #expect(isClosed(refusal, feed.path))
    expectClosed("a node that a kept snapshot must load", feed.path) {
      _ = try kept.elements(in: Self.everything)
    }
    #expect(events.withLock { $0 }.isEmpty)
    mayGoOn.signal()
    try reading.join()
    try closing.join()
    #expect(events.withLock { $0 } == ["read", "closed"])
    let reopened = try LayoutCache(path: feed.path)
    #expect(try reopened.datasets().first?.itemCount == 4000)
    try reopened.close()
  }

  @Test func fourThreadsReadWhileOneCloses() throws {
    let feed = try feed(items: 2000)
    try feed.read { _ in }
    try feed.cache.close()
    for round in 0..<100 {
      let cache = try LayoutCache(path: feed.path)
      let begun = Meeting(of: 5)
      let reading = Threads.start(4) { number in
        let snapshot = try cache.read(LayoutID("layout", of: "feed")) { $0 }
        try begun.join()
        do {
          while true {
            switch number {
            case 0:
              try cache.read(LayoutID("layout", of: "feed")) { snapshot in
                _ = try snapshot.elements(in: Self.everything, limit: 50)
              }
            case 1: _ = try snapshot.elements(in: Self.everything)
            case 2: try cache.forEachItem(of: "feed") { _, _ in }
            default:
              try cache.update("feed", with: [.resize(key: "a-1", size: Self.size(round))])
            }
          }
        } catch {
          guard isClosed(error, cache.path) else { throw error }
        }
      }
      try begun.join()
      usleep(UInt32(round * 20))
      try cache.close()
      try reading.join()
    }
    let reopened = try LayoutCache(path: feed.path)
    #expect(try reopened.verify().problems.isEmpty)
    try reopened.close()
  }

  private static func size(_ number: Int) -> Size {
    Size(width: Length(units: 640), height: Length(units: 640 + Int64(number)))
  }

  @Test func releasingACacheKeepsTheFileOpenForSnapshots() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    func open() throws -> LayoutSnapshot {
      let cache = try LayoutCache(path: path)
      _ = try cache.importItems(into: "feed", mode: .create) { importer in
        for number in 0..<1000 { try importer.add(Item(key: "k\(number)", width: 1, height: 1)) }
      }
      try cache.setLayout(
        LayoutID("layout", of: "feed"), to: ConfigurationText.decode(Self.configuration))
      return try cache.read(LayoutID("layout", of: "feed")) { $0 }
    }
    var snapshot: LayoutSnapshot? = try open()
    #expect(try snapshot?.elements(in: Self.everything).elements.count == 1001)
    #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    snapshot = nil
    // The last connection has moved the write-ahead log into the file.
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    let reopened = try LayoutCache(path: path)
    #expect(try reopened.verify().problems.isEmpty)
    try reopened.close()
  }
}
