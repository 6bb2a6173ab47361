import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

// Strategy: threads query while batches commit and checkpoints rewrite the file, with the oracle's
// answers for every revision.
//
// Invariant: a query answers for exactly the revision of its snapshot.

@Suite struct SnapshotTests {
  /// A random feed and the batches for it, the same for the same seed.
  private struct Source {
    let sections: [OracleSection]
    let text: String
    var feed: OracleFeed
    private var batches: RandomBatch
    private var generator: SeededGenerator

    init(seed: UInt64, itemCountMax: Int) throws {
      generator = SeededGenerator(seed: seed)
      var source = RandomFeed(itemCountMax: itemCountMax)
      sections = source.sections(using: &generator)
      text = RandomConfiguration(kinds: .all).text(
        sectionKeys: sections.map(\.key), using: &generator)
      feed = try OracleFeed(configuration: text, sections: sections)
      batches = RandomBatch(source: source, itemCountMax: 4 * itemCountMax)
    }

    /// Returns the next batch, after applying it to the feed.
    mutating func next() throws -> [BatchOperation] {
      let batch = batches.next(for: feed, using: &generator)
      try feed.apply(batch)
      // Laying out from scratch uses the items as the batch has left them.
      if batch.isEverything { try feed.layOutFromScratch() }
      return try batch.map { try BatchOperation($0) }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds.suffix(2))
  func everyAnswerMatchesTheRevisionOfItsSnapshot(seed: UInt64) async throws {
    let source = try Source(seed: seed, itemCountMax: 30)
    let text = source.text
    let test = try TestFeed(source.sections, configuration: text)
    let (cache, path) = (test.cache, test.path)
    try await cache.performPrepare(LayoutID("layout", of: "feed"))
    let board = Board(OracleElement.all(of: source.feed.oracle))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { board.finish() }
        var source = try Source(seed: seed, itemCountMax: 30)
        var revision = 1
        for step in PropertyRun.each(seed, steps: 60) {
          let batch = try source.next()
          // Readers may see the commit before it returns.
          board.put(OracleElement.all(of: source.feed.oracle), revision: revision + 1)
          revision = try cache.update("feed", with: batch).revision
          if step % 9 == 8 { try cache.checkpoint() }
        }
      }
      for reader in 0..<3 {
        group.addTask {
          var own = reader == 0 ? cache : try LayoutCache(path: path)
          var seen = 1
          repeat {
            // One of the readers has nothing in memory, every time.
            if reader == 2 { own = try LayoutCache(path: path) }
            let (revision, found) = try own.read(LayoutID("layout", of: "feed")) {
              ($0.revision, try OracleElement.all(of: $0))
            }
            try #require(revision >= seen)
            try #require(
              found == board.elements(ofRevision: revision),
              "reader \(reader), revision \(revision)\n\(text)")
            seen = revision
          } while !board.isFinished
        }
      }
      try await group.waitForAll()
    }
    #expect(try cache.verify().problems.isEmpty)
  }

  /// The oracle's answers for each revision.
  private final class Board: Sendable {
    private let content: Mutex<(elements: [Int: [OracleElement]], isFinished: Bool)>

    init(_ elements: [OracleElement]) { content = Mutex(([1: elements], false)) }

    /// A batch without effect creates no revision: the next elements overwrite its entry before
    /// any reader can see it.
    func put(_ elements: [OracleElement], revision: Int) {
      content.withLock { $0.elements[revision] = elements }
    }

    func elements(ofRevision revision: Int) -> [OracleElement]? {
      content.withLock { $0.elements[revision] }
    }

    func finish() { content.withLock { $0.isFinished = true } }

    var isFinished: Bool { content.withLock { $0.isFinished } }
  }
}
