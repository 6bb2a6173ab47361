import LayoutCache
import LayoutGeometry
import LayoutReplication
import TestSupport
import Testing

@testable import ClusterSimulation
@testable import LayoutCluster

// Strategy: random entries of several datasets are applied one by one to one file, and in
// groups to another. Invariant: both produce the same archives, byte for byte.

@Suite struct AcceptingTests {
  private static let names = ["a", "b", "c"]
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test(.property, arguments: PropertyRun.seeds)
  func groupedEntriesLeadToTheSameStateAsSingleOnes(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var history = try History(in: folder)
    var hasGathered = false
    for _ in PropertyRun.each(seed, steps: 30) {
      try history.add(using: &generator)
      // Pinned layouts are laid out before the next entry.
      guard history.endsWithPin || generator.oneIn(5) else { continue }
      hasGathered = try history.gather(using: &generator) || hasGathered
      guard generator.oneIn(4) else { continue }
      let differing = try history.differing()
      #expect(differing == [])
    }
    hasGathered = try history.gather(using: &generator) || hasGathered
    #expect(hasGathered)
    #expect(try history.differing() == [])
    for cache in [history.one, history.many] {
      #expect(try cache.verify().problems.isEmpty)
    }
  }

  @Test func failedRunDoesNotBlockOtherDatasets() throws {
    var generator = SeededGenerator(seed: 1)
    var history = try History(in: folder)
    for name in Self.names { try history.addBatch(to: name, using: &generator) }
    var runs = history.runs(of: Self.names)
    runs[1].position.chain[0] ^= 1
    let results = ClusterNode.apply(runs, in: History.log, by: history.many)
    #expect(throws: ReplicationError.diverged) { try results[1].get() }
    for (index, name) in Self.names.enumerated() where index != 1 {
      #expect(try results[index].get().map(\.commit.sequence) == [1])
      #expect(try history.many.position(of: name, in: History.log)?.sequence == 1)
    }
    #expect(try history.many.position(of: "b", in: History.log)?.sequence == 0)
  }

  @Test func nodeCommitListsOnlyTheNamedLayouts() throws {
    let cache = try SimulatedClusterNode.cache(at: folder.path(of: "named.sqlite"))
    let node = try ClusterNode(of: SimulatedLog(seed: 3).handle(node: 0), on: cache)
    try node.commit(.create("feed"))
    try cache.update(
      "feed",
      with: [
        .insertSection(key: "s"),
        .insert([try Item(key: "i", width: 1, height: 5)], at: .end(section: "s")),
      ])
    for name in ["a", "b"] {
      try cache.setLayout(
        LayoutID(name, of: "feed"),
        to: ConfigurationText.decode(
          #"{"container":{"width":1},"section":{"columns":1,"itemLength":"natural"}}"#))
    }
    func listed(_ operation: BatchOperation, _ layouts: UpdatedLayouts) throws -> [String] {
      try cache.update("feed", with: [operation], preparing: layouts).layouts.map(\.layout)
    }
    // Nothing has been laid out yet.
    #expect(try listed(.prefer(layout: "a", key: "i", length: 6), .named(["b"])) == ["b"])
    #expect(try listed(.prefer(layout: "a", key: "i", length: 7), .named(["a"])) == ["a"])
    #expect(try listed(.prefer(layout: "a", key: "i", length: 8), .named(["b"])) == ["a", "b"])
    #expect(try listed(.insertSection(key: "t"), .named(["b"])) == ["a", "b"])
    #expect(try listed(.invalidate(layout: "b", everything: true), .inUse) == ["b"])
  }

  @Test func entriesBeforeAFailedOneAreApplied() throws {
    var generator = SeededGenerator(seed: 2)
    let cache = try SimulatedClusterNode.cache(at: folder.path(of: "node.sqlite"))
    let node = try ClusterNode(of: SimulatedLog(seed: 1).handle(node: 0), on: cache)
    try node.commit(.create("feed"))
    try cache.update("feed", with: [.insertSection(key: "s0")])
    var position = try #require(try node.position(of: "feed"))
    var entries: [ClusterNode.LoggedEntry] = []
    for _ in 0..<3 {
      var request = ChangeRequest(.batch(try Feeds.inserting(using: &generator)))
      request.proposal = .risingName()
      guard
        case .entry(var entry, _) = try cache.resolve(
          [request], on: "feed", in: node.log, makeLayoutID: { 1 }
        ).proposals[0]
      else { throw Missing() }
      entry.sequence = position.sequence + 1
      entry.revision = entry.sequence + 1
      // The last entry is not a valid batch.
      if entries.count == 2 { entry.payload = [0xFF] }
      entry = entry.sealed(after: position.chain)
      position.sequence = entry.sequence
      position.chain = entry.chain
      entries.append(ClusterNode.LoggedEntry(entry: entry))
    }
    let begin = try #require(try node.position(of: "feed"))
    #expect(throws: ReplicationError.self) {
      try node.withQueue(of: "feed") { try node.apply(entries, after: begin, "feed", $0) }
    }
    #expect(try node.position(of: "feed")?.sequence == begin.sequence + 2)

    // An entry that does not continue the chain: the entries before it are applied too.
    let present = try #require(try node.position(of: "feed"))
    #expect(throws: ReplicationError.diverged) {
      try node.withQueue(of: "feed") { try node.apply([entries[0]], after: present, "feed", $0) }
    }
    #expect(try node.position(of: "feed") == present)
  }

  private struct Missing: Error {}
}

/// Entries of some datasets: all applied to one file, and those gathered so far to another.
private struct History {
  static let log = [UInt8](repeating: 1, count: 16)
  let one: LayoutCache
  let many: LayoutCache
  private var pending: [String: [(entry: SharedEntry, commit: Commit)]] = [:]
  private var layoutCount: Int64 = 0
  private(set) var endsWithPin = false

  init(in folder: TemporaryDirectory) throws {
    one = try SimulatedClusterNode.cache(at: folder.path(of: "one.sqlite"))
    many = try SimulatedClusterNode.cache(at: folder.path(of: "many.sqlite"))
    for (index, name) in ["a", "b", "c"].enumerated() {
      let start = SharedPosition(
        dataset: Int64(index) + 1, sequence: 0, chain: [UInt8](repeating: 7, count: 16))
      for cache in [one, many] { try cache.adopt(name, at: start, in: Self.log, time: 5) }
    }
  }

  /// Adds an entry to a dataset, if the random change results in one.
  mutating func add(using generator: inout SeededGenerator) throws {
    let name = ["a", "b", "c"].randomElement(using: &generator)!
    let layout = Feeds.layouts.randomElement(using: &generator)!
    switch Int.random(in: 0..<10, using: &generator) {
    case 0:
      layoutCount += 1
      let configuration = try Feeds.configuration(&generator)
      try add(
        .setLayout(
          layout, configuration: ConfigurationText.encode(configuration)),
        to: name)
    case 1: try add(.pin(layout), to: name)
    case 2: try add(.undo(), to: name)
    default: try addBatch(to: name, using: &generator)
    }
  }

  mutating func addBatch(to name: String, using generator: inout SeededGenerator) throws {
    let keys = try Feeds.keys(of: name, in: one)
    let operations =
      keys.isEmpty
      ? try Feeds.inserting(using: &generator) : try Feeds.batch(on: keys, using: &generator)
    try add(.batch(operations), to: name)
  }

  private mutating func add(_ work: ChangeRequest.Work, to name: String) throws {
    endsWithPin = false
    let id = layoutCount
    let (position, proposals) = try one.resolve([ChangeRequest(work)], on: name, in: Self.log) {
      id
    }
    guard case .entry(let proposed, let resolved) = proposals[0] else { return }
    let entry = proposed.sealed(after: position.chain)
    let commits: [[Commit]]
    do {
      commits = try one.apply(
        [.init(of: name, after: position, [.init(entry, as: resolved)])], in: Self.log
      ).map { $0.map(\.commit) }
    } catch ReplicationError.diverged {
      // An undo right after the start.
      return
    }
    if entry.kind == .pin { try one.layOutPinned(entry, in: name) }
    endsWithPin = entry.kind == .pin
    pending[name, default: []].append((entry, commits[0][0]))
  }

  /// Returns the entries of some datasets that have not been gathered yet.
  func runs(of names: [String]) -> [LayoutCache.EntryRun] {
    names.compactMap { name in
      guard let entries = pending[name], let position = try? many.position(of: name, in: Self.log)
      else { return nil }
      return .init(of: name, after: position, entries.map { .init($0.entry) })
    }
  }

  /// Applies the remaining entries in one transaction.
  ///
  /// - Returns: Whether there was more than one entry.
  mutating func gather(using generator: inout SeededGenerator) throws -> Bool {
    let runs = runs(of: ["a", "b", "c"].shuffled(using: &generator))
    let commits = try many.apply(runs, in: Self.log).map { $0.map(\.commit) }
    for (run, commits) in zip(runs, commits) {
      if let last = run.entries.last?.entry, last.kind == .pin {
        try many.layOutPinned(last, in: run.dataset)
      }
      let expected = pending[run.dataset, default: []].map(\.commit)
      #expect(commits.map(\.revision) == expected.map(\.revision))
      #expect(commits.map(\.sequence) == expected.map(\.sequence))
      #expect(commits.map(\.updates) == expected.map(\.updates))
    }
    pending = [:]
    return runs.reduce(0) { $0 + $1.entries.count } > 1
  }

  /// Returns the datasets whose archives differ between the two files.
  func differing() throws -> [String] {
    try ["a", "b", "c"].filter { name in
      let archives = try [one, many].map { cache in
        var archive: [UInt8] = []
        let (position, digest) = try cache.exportReplica(of: name, in: Self.log) { archive += $0 }
        return (archive, position, digest)
      }
      return archives[0] != archives[1]
    }
  }
}

extension Feeds {
  fileprivate static func inserting(
    using generator: inout SeededGenerator
  ) throws -> [BatchOperation] {
    let key = "k\(generator.next() % 1000)"
    return [.upsert([try UpsertedItem(key: key, width: 4, height: 3)], section: "s0")]
  }
}
