import Foundation
import LayoutCache
import LayoutCacheTestSupport
import TestSupport
import Testing

// Strategy: a child process creates a database and edits it: random batches, batches large
// enough to make a checkpoint due, explicit checkpoints, prepare, imports, reopening. It
// records each step once the call has returned, and kills itself from another thread at a
// random moment, possibly while the file is being created or opened. The next child continues
// from there. `LAYOUTCACHE_STEPS` is the number of kills; the moments differ from run to run,
// the steps do not.
//
// Invariants: the file holds every recorded step, and at most the next one, whole; all answers
// equal the oracle's after the same steps; verify is clean, also for nodes without an owner;
// the next process can continue.

@Suite struct CrashTests {
  /// The kills that one database has to survive.
  private static let killsPerDatabase = 8

  @Test func aKilledProcessLosesNoAcknowledgedChange() async throws {
    let kills = PropertyRun.steps(8)
    let seed = PropertyRun.seeds[PropertyRun.seeds.count - 1]
    for database in 0..<((kills + Self.killsPerDatabase - 1) / Self.killsPerDatabase) {
      let first = database * Self.killsPerDatabase
      try await kill(
        min(Self.killsPerDatabase, kills - first), seed: seed &* 1_000_003 &+ UInt64(database))
    }
  }

  private func kill(_ count: Int, seed: UInt64) async throws {
    let directory = try TemporaryDirectory()
    let (path, log) = (directory.path(of: "feed.sqlite"), directory.path(of: "log"))
    var script = try CrashScript(seed: seed)
    var revision = 0
    for life in 0..<count {
      let delay = Self.delay(ofLife: life)
      let origin = "seed \(seed), life \(life), killed after \(delay) µs"
      let done = script.stepCount
      await #expect(processExitsWith: .signal(SIGKILL), "\(origin)") {
        [
          path = path as String, log = log as String, seed = seed as UInt64,
          done = done as Int, revision = revision as Int, delay = delay as Int
        ] in
        try CrashingProcess.live(
          path: path, seed: seed, done: done, revision: revision, log: log, delay: delay)
      }
      if let last = try CrashingProcess.lastLine(of: log) {
        while script.stepCount < last.done { _ = try script.next() }
        revision = last.revision
        try FileManager.default.removeItem(atPath: log)
      }
      try settle(&script, &revision, path: path, origin: "\(origin)")
    }
    // This process edits the file too.
    var process = try CrashingProcess(path: path)
    for _ in 0..<10 {
      if let new = try process.run(script.next()) { revision = new }
      if script.stepCount < 2 { continue }
      try check(process.cache, script, revision, "seed \(seed), step \(script.stepCount)")
    }
    try process.cache.close()
    try check(LayoutCache(path: path), script, revision, "seed \(seed), at the end")
  }

  /// Mostly within the first steps, while the file is opened and the log applied; else
  /// anywhere.
  private static func delay(ofLife life: Int) -> Int {
    let limits = life == 0 ? [5_000, 30_000, 200_000] : [10_000, 100_000, 400_000]
    return Int.random(in: 0..<limits.randomElement()!)
  }

  /// Determines whether the interrupted step was committed, and checks that the file equals the
  /// script's state after all committed steps.
  private func settle(
    _ script: inout CrashScript, _ revision: inout Int, path: String, origin: Comment
  ) throws {
    let cache = try LayoutCache(path: path)
    let dataset = try cache.datasets().first
    let found = dataset?.revision ?? 0
    try #require(found == revision || found == revision + 1, origin)
    if found == revision + 1 { _ = try script.next() }
    revision = found
    if script.stepCount == 1, dataset?.layouts == ["layout"] { _ = try script.next() }
    #expect(try cache.verify().problems.isEmpty, origin)
    if script.stepCount == 0 { try #require(dataset == nil, origin) }
    if script.stepCount == 1 {
      try #require(dataset?.itemCount == script.feed.sections.flatMap(\.items).count, origin)
    }
    if script.stepCount >= 2 { try check(cache, script, revision, origin) }
    if Bool.random() { try cache.close() }
  }

  private func check(
    _ cache: LayoutCache, _ script: CrashScript, _ revision: Int, _ origin: Comment
  ) throws {
    try cache.read(LayoutID("layout", of: "feed")) { snapshot in
      try #require(snapshot.revision == revision, origin)
      try #require(snapshot.sectionCount == script.feed.sections.count, origin)
      let found = try OracleElement.all(of: snapshot)
      try #require(found == OracleElement.all(of: script.feed.oracle), origin)
      for section in script.feed.sections {
        for item in section.items.prefix(5) {
          #expect(try snapshot.indexPath(ofKey: item.key) != nil, origin)
        }
      }
    }
    let report = try cache.verify()
    try #require(report.problems.isEmpty, "\(origin)\n\(report.problems)")
    try #require(report.datasetCount == 1, origin)
  }
}
