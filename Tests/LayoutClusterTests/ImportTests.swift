import ClusterSimulation
import LayoutCache
import LayoutCluster
import Testing

// Imports through the shared log, step by step; the simulation compares their results.

@Suite struct ImportTests {
  static let dataset = "feed"
  let cluster: TestCluster

  init() throws { cluster = try TestCluster() }

  /// Returns an import of numbered items.
  static func items(
    _ range: Range<Int>, mode: ImportMode = .append, height: Double = 2
  ) throws -> FeedImport {
    FeedImport(
      mode: mode, duplicates: .fail,
      rows: try range.map {
        ("s\($0 % 3)", try Item(key: "i\($0)", width: 3, height: height))
      })
  }

  func keys(_ node: Int, of dataset: String = dataset) throws -> Set<String> {
    Set(try FeedSection.all(of: dataset, in: cluster[node]).flatMap { $0.items.map(\.key) })
  }

  func insert(_ key: String, by node: Int, into dataset: String = dataset) throws {
    try cluster[node].update(
      dataset, with: [.upsert([try UpsertedItem(key: key, width: 1, height: 1)], section: "s0")])
  }

  /// Returns the code of an error as text, or `nil` if there is none.
  func failure(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch let error as LayoutCacheError {
      return text(error.code)
    } catch {
      return "\(error)"
    }
  }

  func text(_ code: LayoutCacheError.Code) -> String { "\(code)" }

  @Test func aDatasetIsSortedAtAllNodes() throws {
    func item(_ key: String, _ rank: Int) throws -> Item {
      try Item(key: key, width: 1, height: 1, data: ItemData(json: #"{"rank":\#(rank)}"#))
    }
    try cluster[0].createDataset(Self.dataset, order: DatasetOrder([.init(by: "rank")]))
    try cluster[1].update(
      Self.dataset,
      with: [
        .upsert([UpsertedItem(try item("a", 2)), UpsertedItem(try item("b", 1))], section: "s")
      ])
    try cluster.follow(Self.dataset)
    let keys = try FeedSection.all(of: Self.dataset, in: cluster[0]).flatMap(\.items).map(\.key)
    #expect(keys == ["b", "a"])
    var order = DatasetOrder([.init(by: "rank", descending: true)])
    order.sections = .init(by: "rank")
    try cluster[1].sortDataset(Self.dataset, by: order)
    try cluster[0].update(Self.dataset, with: [.insert([item("c", 2)], at: .ordered)])
    try cluster.follow(Self.dataset)
    for node in 0..<2 {
      let sections = try FeedSection.all(of: Self.dataset, in: cluster[node])
      #expect(sections.map(\.key) == ["1", "2"])
      #expect(sections.flatMap { $0.items.map(\.key) } == ["b", "a", "c"])
      #expect(try cluster[node].dataset(Self.dataset).order == order)
    }
  }

  // MARK: No partial states

  // MARK: Failures

  @Test func failedImportLeavesNothing() throws {
    struct Stop: Error {}
    _ = try Self.items(0..<20, mode: .create).run(on: cluster[0], into: Self.dataset)
    let before = try cluster.contents(of: Self.dataset)
    let archives = cluster.store.log.state.archiveCount
    func expectNothing(_ what: String) throws {
      cluster.store.onCall(nil)
      #expect(cluster.store.log.state.archiveCount == archives, "\(what)")
      #expect(try cluster.contents(of: Self.dataset) == before, "\(what)")
      #expect(cluster.store.log.state.dataset(named: "other") == nil, "\(what)")
      let report = try cluster[0].verify()
      #expect(report.problems == [], "\(what)")
    }
    for (mode, name) in [
      (ImportMode.create, "other"), (.replace, Self.dataset), (.append, Self.dataset),
    ] {
      let asked = try Self.items(50..<150, mode: mode)
      // Fails while reading rows.
      #expect(throws: Stop.self) {
        try cluster[0].importItems(into: name, mode: mode) { importer in
          for row in asked.rows { try importer.add(row.item, section: row.section) }
          throw Stop()
        }
      }
      try expectNothing("rows, \(mode)")
      // Fails while uploading the archive.
      cluster.store.onCall { if $0 == .putChunk(2) { throw Stop() } }
      #expect(throws: Stop.self) { try asked.run(on: cluster[0], into: name) }
      try expectNothing("chunks, \(mode)")
      cluster.store.onCall { if $0 == .putChunk(2) { throw SharedLogFailure.unknown("") } }
      #expect(isAway(failure { _ = try asked.run(on: cluster[0], into: name) }))
      try expectNothing("chunks that are lost, \(mode)")
      // Fails while appending the entry that names the archive.
      cluster.store.onCall { if $0.isOfNaming { throw SharedLogFailure.unavailable("") } }
      #expect(isAway(failure { _ = try asked.run(on: cluster[0], into: name) }))
      try expectNothing("entry, \(mode)")
      var twice = asked
      twice.rows.append(twice.rows[0])
      #expect(
        failure { _ = try twice.run(on: cluster[0], into: name) }
          == text(.duplicateKey(DuplicateKey(key: "i50", lines: [1, 101]))))
      try expectNothing("duplicates, \(mode)")
    }
  }

  private func isAway(_ failure: String?) -> Bool {
    failure?.hasPrefix("sharedLogUnavailable") ?? false
  }

  // MARK: Concurrent changes

  /// Another node changes the dataset while the first chunk of each archive is uploaded.
  @Test func importGivesUpAfterRepeatedConflicts() throws {
    _ = try Self.items(0..<20, mode: .create).run(on: cluster[0], into: Self.dataset)
    try cluster.follow(Self.dataset)
    let tests = self
    cluster.store.onCall { call in
      guard call == .putChunk(0) else { return }
      let revision = try tests.cluster[1].dataset(Self.dataset).revision
      try tests.insert("other\(revision)", by: 1)
    }
    let code = failure { _ = try Self.items(50..<150).run(on: cluster[0], into: Self.dataset) }
    cluster.store.onCall(nil)
    #expect(code == text(.concurrentModification(dataset: Self.dataset)))
    #expect(cluster.store.log.state.archiveCount == 1)
    #expect(try cluster.contents(of: Self.dataset).map(\.revision) == [6, 6])
  }

  @Test func importNotifiesListenersOfEverything() async throws {
    _ = try Self.items(0..<20, mode: .create).run(on: cluster[0], into: Self.dataset)
    try cluster.follow(Self.dataset)
    for (cache, _) in cluster.nodes {
      let commits = try await cache.commits(of: Self.dataset)
      var events = commits.makeAsyncIterator()
      let revision = commits.revision
      _ = try await cluster[0].perform { cache in
        try Self.items(50..<150, mode: .replace).run(on: cache, into: Self.dataset)
      }
      try cluster.follow(Self.dataset)
      guard case .commit(let commit) = try await events.next() else {
        Issue.record("listeners got no commit")
        return
      }
      #expect(commit.revision == revision + 1 && commit.updates.everything)
    }
  }
}

extension WatchedLog.Call {
  /// Whether an entry that names an archive is or was appended.
  var isOfNaming: Bool {
    switch self {
    case .willAppend, .willCreate: true
    default: false
    }
  }
}
