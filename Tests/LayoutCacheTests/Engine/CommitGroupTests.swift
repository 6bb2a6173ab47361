import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// The outcomes of batches that are committed in one transaction.
@Suite struct CommitGroupTests {
  private let feed: TestFeed

  init() throws {
    feed = try TestFeed(
      [OracleSection("s", sizes: (0..<20).map { _ in (1, 5) })],
      configuration: #"{"container":{"width":1},"section":{"columns":1}}"#)
  }

  private func change(
    _ operations: [BatchOperation], of dataset: String = "feed", expecting expected: Int? = nil,
    layouts: UpdatedLayouts = .inUse, once request: IdempotentRequest? = nil
  ) -> QueuedChange {
    QueuedChange(
      dataset: dataset,
      request: ChangeRequest(
        .batch(operations), CommitViewport(layouts: layouts), expected: expected,
        request: request)
    ) { Array("revision \($0.revision)".utf8) }
  }

  private func insert(_ key: String, of dataset: String = "feed", expecting: Int? = nil) throws
    -> QueuedChange
  {
    let item = try Item(key: key, width: 1, height: 1)
    return change(
      [.insert([item], at: .end(section: "s"))], of: dataset, expecting: expecting)
  }

  /// Returns the revision of a successful outcome, else the name of the error.
  private func text(_ outcome: CommitQueue.Outcome) -> String {
    switch outcome {
    case .success(.applied(let applied)): "\(applied.commit.revision)"
    case .success(.replayed(let revision, let answer)):
      "replayed \(revision) \(answer.map { String(decoding: $0, as: UTF8.self) } ?? "-")"
    case .failure(let error as LayoutCacheError): error.code.name
    case .failure(let error): "\(error)"
    }
  }

  @Test func eachBatchHasItsOwnOutcome() throws {
    try feed.cache.createDataset("other")
    let request = try IdempotentRequest(key: "1", owner: "a", bodyHash: [1])
    let reused = try IdempotentRequest(key: "1", owner: "a", bodyHash: [2])
    let mark = BatchOperation.mark(source: "x", position: "1")
    let item = try Item(key: "once", width: 1, height: 1)
    let once: [BatchOperation] = [.insert([item], at: .end(section: "s"))]
    let section = change([.insertSection(key: "s")], of: "other")
    let changes = [
      try insert("a"), try insert("a"), try insert("b", of: "none"), section,
      change(once, once: request), change(once, expecting: 1, once: request),
      change(once, once: reused), try insert("c", expecting: 3), try insert("d", expecting: 3),
      change([mark]), change([mark, .delete(keys: ["s-1"])]),
      try insert("e", of: "other"),
      change([.resize(key: "s-3", size: Size(width: 1, height: 5))]), try insert("f"),
    ]
    #expect(
      feed.cache.commitTogether(changes).map(text) == [
        "2", "refused", "noSuchDataset", "2", "3", "replayed 3 revision 3",
        "idempotencyKeyReused", "4", "revisionMismatch", "5", "5", "3", "5", "6",
      ])
    #expect(try feed.cache.dataset("feed").revision == 6)
    #expect(try feed.cache.item(forKey: "s-1", of: "feed") != nil)
    #expect(try feed.cache.item(forKey: "d", of: "feed") == nil)
    let again = try LayoutCache(path: feed.path)
    #expect(try again.log(of: "feed").count == 6)
    #expect(try again.verify().problems.isEmpty)
  }

  /// A rejected batch that updates no layout leaves those of the others active.
  @Test func rejectedBatchLeavesLayoutsActive() throws {
    let layout = LayoutID("layout", of: "feed")
    try feed.cache.prepare(layout)
    let outcomes = feed.cache.commitTogether([
      change([.delete(keys: ["none"])], layouts: .none), try insert("a"),
    ])
    guard case .success(.applied(let applied)) = outcomes[1] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(applied.commit.layouts.map(\.layout) == ["layout"])
  }

  /// An unreadable dataset fails on its own: the group is rolled back and its batches are
  /// committed one by one.
  @Test func damagedDatasetAffectsNoOther() throws {
    try feed.cache.close()
    try RawDatabase(path: feed.path).execute("DELETE FROM nodes")
    let cache = try LayoutCache(path: feed.path)
    try cache.createDataset("other")
    _ = try cache.update("other", with: [.insertSection(key: "s")])
    let outcomes = cache.commitTogether([
      try insert("a", of: "other"), change([.delete(keys: ["s-1"])]),
      try insert("b", of: "other"), try insert("a", of: "other"),
    ])
    #expect(outcomes.map(text) == ["3", "database", "4", "refused"])
    #expect(try cache.dataset("other").itemCount == 2)
    #expect(try cache.log(of: "other").count == 4)
  }

  @Test func groupsAreLimitedByCountAndWeight() async throws {
    let queue = CommitQueue(countMax: 3, weightMax: 10)
    let items = try (0..<12).map { try Item(key: "k\($0)", width: 1, height: 1) }
    let heavy = change([.insert(items, at: .end(section: "s"))])
    let light = change([.resize(key: "s-1", size: Size(width: 1, height: 2))])
    let changes = [heavy, light, light, light, light, heavy, light]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, change) in changes.enumerated() {
        group.addTask { _ = try? await queue.outcome(of: change) {} }
        while queue.counts.waiting <= index { try await Task.sleep(for: .milliseconds(1)) }
      }
      var counts: [Int] = []
      while queue.counts.waiting > 0 {
        let taken = queue.takeGroup()
        counts.append(taken.count)
        queue.end(
          taken, with: taken.map { _ in .failure(CancellationError()) }, next: {})
      }
      #expect(counts == [1, 3, 1, 1, 1])
      try await group.waitForAll()
    }
  }
}
