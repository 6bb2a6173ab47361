import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

// Strategy: snapshots are retained while random batches commit and checkpoints rewrite the
// file, and are queried again at the end; and threads query while batches commit, with the
// oracle's answers for every revision.
//
// Invariants: a snapshot whose nodes are in memory always gives its first answers; one whose
// nodes are not gives the same answers or throws; a query answers for exactly the revision of
// its snapshot.

@Suite struct SnapshotTests {
  /// A snapshot's answers to every kind of query.
  private struct Answers: Equatable {
    var size: Size
    var counts: [Int]
    var elements: [OracleElement] = []
    var parts: [OracleElement] = []
    var byKey: [OracleElement] = []
    var columnEnds: [[Length]]

    init(_ snapshot: LayoutSnapshot) throws {
      size = snapshot.contentSize
      counts = [snapshot.revision, snapshot.sectionCount, snapshot.itemCount]
      elements = try OracleElement.all(of: snapshot)
      for part in 0..<8 {
        let rect = Rect(
          x: Length(units: size.width.units * Int64(part) / 16),
          y: Length(units: size.height.units * Int64(part) / 8),
          width: Length(units: size.width.units / 2 + 1),
          height: Length(units: size.height.units / 8 + 1))
        parts += try snapshot.elements(in: rect).elements.map(OracleElement.init)
      }
      for key in elements.compactMap(\.key) {
        byKey += try snapshot.attributes(forKey: key).map { [OracleElement($0)] } ?? []
      }
      columnEnds = try (0..<snapshot.sectionCount).map { try snapshot.columnEnds(inSection: $0) }
    }
  }

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
  func aSnapshotGivesTheSameAnswersAfterHundredsOfCommits(seed: UInt64) throws {
    var source = try Source(seed: seed, itemCountMax: 60)
    let text = source.text
    let test = try TestFeed(source.sections, configuration: text)
    var kept: [(snapshot: LayoutSnapshot, answers: Answers)] = []
    var unread: [(snapshot: LayoutSnapshot, answers: Answers)] = []
    let steps = PropertyRun.steps(200)
    for step in 0..<steps {
      if step % max(steps / 5, 1) == 0 {
        // Retaining a snapshot beyond `read` is unusual, but works with its nodes in memory.
        kept.append(try test.read { ($0, try Answers($0)) })
        #expect(kept.last?.answers.elements == OracleElement.all(of: source.feed.oracle))
        // Another cache has none of them.
        try test.cache.checkpoint()
        let other = try LayoutCache(path: test.path)
        unread.append(
          try other.read(LayoutID("layout", of: "feed")) { ($0, kept.last!.answers) })
      }
      try test.cache.update("feed", with: source.next())
      if step % 37 == 36 { try test.cache.checkpoint() }
    }
    try test.cache.checkpoint()
    for (snapshot, answers) in kept {
      let found = try Answers(snapshot)
      #expect(found == answers, "revision \(snapshot.revision)\n\(text)")
    }
    for (snapshot, answers) in unread {
      let found = try? Answers(snapshot)
      #expect(
        found == nil || found == answers, "revision \(snapshot.revision)\n\(text)")
    }
    #expect(try OracleElement.all(of: test.cache) == OracleElement.all(of: source.feed.oracle))
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
          let own = reader == 2 ? try LayoutCache(path: path) : cache
          var seen = 1
          repeat {
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
