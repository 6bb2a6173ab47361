import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import Logging
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: in a child process SQLite's n-th read, write or sync fails with EIO, once or from
// then on, for every n, while a database is opened, queried, changed, caught up, verified and
// closed. Then the disk is repaired.
//
// Invariants: every call succeeds or throws `inputOutput`, the error of exit code 74; no
// failure is treated as damage, so nothing is laid out again and no damage is reported; the
// database is whole, and holds every acknowledged change.

@Suite struct FailingDiskTests {
  @Test(arguments: FailingDisk.Call.ofFiles, [1, 1_000_000])
  func systemFailuresAreNotReportedAsDamage(call: FailingDisk.Call, count: Int) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    await #expect(processExitsWith: .success) {
      [path = path as String, call = call as FailingDisk.Call, count = count as Int] in
      try FailingDiskRun(path: path, call: call, count: count).run()
    }
  }

  /// Shows that the previous test can fail: with the system's original calls it does.
  @Test(arguments: FailingDisk.Call.ofFiles)
  func theTestFailsWithoutDiskFailures(call: FailingDisk.Call) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      [path = path as String, call = call as FailingDisk.Call] in
      try FailingDiskRun(path: path, call: call, count: 1, isDiskReplaced: false).run()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("0 of \(call) have failed, 0 errors"), "\(text.suffix(500))")
  }
}

/// The work of the child process.
private struct FailingDiskRun {
  let path: String
  let call: FailingDisk.Call
  let count: Int
  let isDiskReplaced: Bool
  private let log = Warnings()

  init(path: String, call: FailingDisk.Call, count: Int, isDiskReplaced: Bool = true) {
    (self.path, self.call, self.count) = (path, call, count)
    self.isDiskReplaced = isDiskReplaced
  }

  private var options: LayoutCacheOptions {
    var options = LayoutCacheOptions()
    options.treeShapes = .tiny
    options.durability = .power
    options.nodeCacheBytes = 1
    return options
  }

  private func open() throws -> LayoutCache {
    try LayoutCache(
      path: path, options: options, logger: Logger(label: "test") { _ in log })
  }

  func run() throws {
    var revision = try make()
    if isDiskReplaced { FailingDisk.install() }
    var number = 1
    var (failedCount, errorCount) = (0, 0)
    while true {
      let origin = "\(call) \(number), \(count) times"
      FailingDisk.fail(call, number: number, count: count)
      var acknowledged = revision
      var error: (any Error)?
      let reports = log.count
      var hadFailed = false
      do {
        try live(&acknowledged, &hadFailed)
      } catch let found {
        error = found
      }
      let hasFailed = FailingDisk.heal()
      if hasFailed { failedCount += 1 }
      if let error {
        errorCount += 1
        precondition(hasFailed, "\(origin): \(error)")
        guard let own = error as? LayoutCacheError, own.category == .inputOutput else {
          fatalError("\(origin): \(error)")
        }
      }
      // A failure is an error or, of work that remains after a commit, a report. Otherwise it is of
      // the checkpoint that SQLite performs when it closes the file, or of a read that is repeated.
      let isRepeated = call == .read && count == 1
      precondition(
        error != nil || log.count > reports || !hadFailed || isRepeated, "\(origin): ignored")
      precondition(log.repairs.isEmpty, "\(origin): \(log.repairs)")
      revision = try check(acknowledged: acknowledged, origin)
      if !hasFailed {
        // A run without failures, or without an error for them, does not pass.
        let counts = "\(failedCount) of \(call) have failed, \(errorCount) errors"
        precondition(failedCount >= 5 && errorCount > 0, counts)
        return
      }
      number += count == 1 || number < 40 ? 1 : 7
    }
  }

  /// Creates a feed with two layouts, one of which lags.
  private func make() throws -> Int {
    let cache = try open()
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for item in OracleSection.mixed("s", count: 120).items {
        try importer.add(Item(item), section: "s")
      }
    }
    for (name, kind) in [("layout", KindExample.waterfall), ("flow", .flow)] {
      let id = LayoutID(name, of: "feed")
      try cache.setLayout(id, to: ConfigurationText.decode(kind.configuration()))
      try cache.prepare(id)
    }
    try cache.close()
    return 1
  }

  /// Makes every kind of call until one fails.
  ///
  /// - Parameter hadFailed: Whether the disk had failed before the file was closed.
  private func live(_ revision: inout Int, _ hadFailed: inout Bool) throws {
    let cache = try open()
    let layout = LayoutID("layout", of: "feed")
    try look(cache, layout)
    let size = Size(width: 9, height: Length(units: Int64(revision % 100 + 1)))
    revision = try cache.update("feed", with: [.resize(key: "s-60", size: size)]).revision
    try cache.checkpoint()
    try look(cache, LayoutID("flow", of: "feed"))
    let report = try cache.verify()
    guard report.problems.isEmpty else { fatalError("verify found \(report.problems)") }
    _ = try cache.datasets()
    _ = try cache.inspect(dataset: "feed")
    try cache.forEachItem(of: "feed") { _, _ in }
    hadFailed = FailingDisk.hasFailed
    try cache.close()
  }

  private func look(_ cache: LayoutCache, _ layout: LayoutID) throws {
    try cache.read(layout) { snapshot in
      _ = try snapshot.elements(in: Rect(x: 0, y: 0, width: 200, height: 9_000))
      _ = try snapshot.attributes(forKey: "s-119")
    }
  }

  private func check(acknowledged: Int, _ origin: String) throws -> Int {
    let cache = try open()
    let report = try cache.verify()
    precondition(report.problems.isEmpty, "\(origin): \(report.problems)")
    let revision = try cache.datasets()[0].revision
    precondition((acknowledged...(acknowledged + 1)).contains(revision), origin)
    try cache.close()
    return revision
  }
}

/// Records the reports of repaired damage.
private struct Warnings: LogHandler {
  private final class Messages: @unchecked Sendable {
    private let lock = NSLock()
    private var messages: [String] = []

    func add(_ message: String) { lock.withLock { messages.append(message) } }

    var all: [String] { lock.withLock { messages } }
  }

  private let messages = Messages()
  var logLevel = Logger.Level.warning
  var metadata: Logger.Metadata = [:]

  var count: Int { messages.all.count }
  /// The reports that name damage.
  var repairs: [String] { messages.all.filter { $0.contains("damaged") } }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { messages.add("\(event.message) \(event.metadata ?? [:])") }
}
