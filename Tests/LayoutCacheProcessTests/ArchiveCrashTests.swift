import Foundation
import LayoutCacheTestSupport
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: a child process loads an archive over a dataset, and is killed at a random moment.
// The moments differ from run to run.
//
// Invariants: the file holds the previous dataset or that of the archive, whole; an unfinished
// load is reclaimed once it is old enough; the next load succeeds.

@Suite struct ArchiveCrashTests {
  @Test func aKilledLoadLeavesTheOldDatasetOrTheArchive() async throws {
    let directory = try TemporaryDirectory()
    let (path, file) = (directory.path(of: "feed.sqlite"), directory.path(of: "archive"))
    let archives = try (1...2).map { number in
      let test = try TestFeed(
        [OracleSection("\(number)", sizes: (0..<3000).map { (1, Double($0 % 7 + 1)) })],
        configuration: #"{"container":{"width":100},"section":{"columns":3}}"#)
      try test.cache.prepare(LayoutID("layout", of: "feed"))
      return try test.cache.archive()
    }
    let first = try LayoutCache(path: path)
    try first.load(archives[0])
    try first.close()
    for life in 0..<PropertyRun.steps(6) {
      try Data(archives[(life + 1) % 2]).write(to: URL(filePath: file))
      let delay = Int.random(in: 0..<[20_000, 150_000, 600_000].randomElement()!)
      await #expect(processExitsWith: .signal(SIGKILL), "after \(delay) µs") {
        [path = path as String, file = file as String, delay = delay as Int] in
        Thread.detachNewThread {
          usleep(UInt32(delay))
          kill(getpid(), SIGKILL)
        }
        let archive = [UInt8](try Data(contentsOf: URL(filePath: file)))
        let cache = try LayoutCache(path: path)
        while true { try cache.load(archive, replacing: true, pieces: 1000) }
      }
      let cache = try LayoutCache(path: path)
      let found = try cache.archive()
      #expect(archives.contains(found), "after \(delay) µs")
      let report = try cache.verify()
      #expect(report.problems.isEmpty, "after \(delay) µs: \(report.problems)")
      #expect(report.datasetCount == 1)
      try cache.load(archives[life % 2], replacing: true)
      #expect(try cache.archive() == archives[life % 2])
      try cache.close()
    }
    // Unfinished loads without recent activity are deleted.
    let cache = try LayoutCache(
      path: path, clock: WallClock { WallClock.system.now() + 16 * 60 * 1000 })
    try cache.compact()
    #expect(try cache.store.read { try $0.remains() } == [])
    #expect(try cache.verify().problems.isEmpty)
  }
}
