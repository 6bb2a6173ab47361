import LayoutCache
import LayoutGeometry
import LayoutReplication
import TestSupport
import Testing

@testable import ClusterSimulation
@testable import LayoutCluster

// Entries that a node cannot apply affect no others. NodeSimulationTests compares nodes that apply
// many entries at once with one that applies each by itself.

@Suite struct AcceptingTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private static func insertion(
    using generator: inout SeededGenerator
  ) throws -> ChangeRequest {
    let key = "k\(generator.next() % 1000)"
    var request = ChangeRequest(
      .batch([.upsert([try UpsertedItem(key: key, width: 4, height: 3)], section: "s0")]))
    request.proposal = .risingName()
    return request
  }

  @Test func failedRunDoesNotBlockOtherDatasets() throws {
    var generator = SeededGenerator(seed: 1)
    let cache = try SimulatedClusterNode.cache(at: folder.path(of: "many.sqlite"))
    let (log, names) = ([UInt8](repeating: 1, count: 16), ["a", "b", "c"])
    var runs: [LayoutCache.EntryRun] = []
    for (index, name) in names.enumerated() {
      let start = SharedPosition(
        dataset: Int64(index) + 1, sequence: 0, chain: [UInt8](repeating: 7, count: 16))
      try cache.adopt(name, at: start, in: log, time: 5)
      guard
        case .entry(let entry, _) = try cache.resolve(
          [Self.insertion(using: &generator)], on: name, in: log, makeLayoutID: { 1 }
        ).proposals[0]
      else { throw Missing() }
      runs.append(.init(of: name, after: start, [.init(entry.sealed(after: start.chain))]))
    }
    runs[1].position.chain[0] ^= 1
    let results = ClusterNode.apply(runs, in: log, by: cache)
    #expect(throws: ReplicationError.diverged) { try results[1].get() }
    for (index, name) in names.enumerated() {
      if index != 1 { #expect(try results[index].get().map(\.commit.sequence) == [1]) }
      #expect(try cache.position(of: name, in: log)?.sequence == (index == 1 ? 0 : 1))
    }
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
      guard
        case .entry(var entry, _) = try cache.resolve(
          [Self.insertion(using: &generator)], on: "feed", in: node.log, makeLayoutID: { 1 }
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
