import Dispatch
import LayoutCache
import LayoutCluster
import Synchronization
import TestSupport
import Testing

@testable import PostgresLog

/// Imports of nodes over the log in PostgreSQL: the behaviour that depends on it.
@Suite(needsPostgres) struct NodeImportTests {
  private let log: PostgresLog
  private let folder: TemporaryDirectory
  private let nodes: [(cache: LayoutCache, node: ClusterNode)]

  init() throws {
    let log = try freshLog()
    let folder = try TemporaryDirectory()
    nodes = try (0..<2).map { number in
      let cache = try LayoutCache(path: folder.path(of: "\(number).sqlite"))
      return (cache, try ClusterNode(of: log, on: cache))
    }
    self.log = log
    self.folder = folder
  }

  private static func add(
    _ range: Range<Int>, to dataset: String, by cache: LayoutCache, _ mode: ImportMode
  ) throws {
    _ = try cache.importItems(into: dataset, mode: mode) { importer in
      for number in range {
        try importer.add(Item(key: "item \(number)", width: 4, height: 3))
      }
    }
  }

  /// Each import is overtaken by the other and continues after it.
  @Test func concurrentImportsOfTwoNodesKeepAllItems() throws {
    try Self.add(0..<8_000, to: "feed", by: nodes[0].cache, .create)
    try nodes[1].node.ensureResident("feed")
    #expect(try nodes[1].cache.dataset("feed").revision == 1)
    let failures = Mutex<[String]>([])
    let nodes = nodes
    DispatchQueue.concurrentPerform(iterations: 2) { number in
      do {
        for round in 1...2 {
          let begin = 100_000 * (2 * round + number)
          try Self.add(begin..<(begin + 3_000), to: "feed", by: nodes[number].cache, .append)
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    for (cache, node) in nodes {
      try node.poll()
      let description = try cache.dataset("feed")
      #expect(description.itemCount == 20_000 && description.revision == 5)
    }
    // Failed attempts have left no archives.
    #expect(try log.sweepArchives(olderThan: -1) == 0)
    #expect(try archiveCount() == 5)
    for (cache, _) in nodes { try cache.close() }
    log.close()
  }

  @Test func replacedArchivesAreRemovedWithTheLog() throws {
    try Self.add(0..<100, to: "feed", by: nodes[0].cache, .create)
    for round in 1...3 {
      try Self.add((1000 * round)..<(1000 * round + 500), to: "feed", by: nodes[0].cache, .replace)
      try nodes[0].node.checkpoint("feed")
    }
    try nodes[0].node.cutLog(of: "feed")
    _ = try log.sweepArchives(olderThan: -1)
    // Two checkpoints, and the import after the first of them.
    #expect(try archiveCount() == 3)
    try nodes[1].node.ensureResident("feed")
    #expect(try nodes[1].cache.dataset("feed").itemCount == 500)
    try nodes[1].cache.removeDataset("feed")
    #expect(try archiveCount() == 0)
    for (cache, _) in nodes { try cache.close() }
    log.close()
  }

  private func archiveCount() throws -> Int {
    try log.writing { connection in
      try connection.read("SELECT count(*) FROM layoutcache.archive") { Int(try $0.int64(0)) }
    }[0]
  }
}
