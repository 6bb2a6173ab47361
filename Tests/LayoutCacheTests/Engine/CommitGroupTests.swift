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

  private func change(_ operations: [BatchOperation], of dataset: String = "feed") -> QueuedChange {
    QueuedChange(dataset: dataset, request: ChangeRequest(.batch(operations)))
  }

  private func insert(_ key: String, of dataset: String) throws -> QueuedChange {
    let item = try Item(key: key, width: 1, height: 1)
    return change([.insert([item], at: .end(section: "s"))], of: dataset)
  }

  /// Returns the revision of a successful outcome, else the name of the error.
  private func text(_ outcome: CommitQueue.Outcome) -> String {
    switch outcome {
    case .success(.applied(let applied)): "\(applied.commit.revision)"
    case .success(.replayed(let revision, _)): "replayed \(revision)"
    case .failure(let error as LayoutCacheError): error.code.name
    case .failure(let error): "\(error)"
    }
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
        queue.end(taken, with: taken.map { _ in .failure(CancellationError()) }, next: {})
      }
      #expect(counts == [1, 3, 1, 1, 1])
      try await group.waitForAll()
    }
  }
}
