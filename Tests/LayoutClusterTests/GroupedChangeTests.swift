import ClusterSimulation
import LayoutCache
import LayoutCacheTestSupport
import LayoutReplication
import TestSupport
import Testing

// Strategy: random requests are logged in groups. One node decides each group in one transaction,
// with its own values of the requests; another one decides what it decodes, one by one. A cache
// without a log makes the same changes. Clocks of nodes differ, and so do the layouts in memory.

@Suite struct GroupedChangeTests {
  private static let log = [UInt8](repeating: 7, count: 16)

  @Test(.property, arguments: PropertyRun.seeds)
  func decidedRequestsMatchSingleChanges(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryDirectory()
    let nodes = try ["a", "b"].map { try LayoutCache(path: folder.path(of: "\($0).sqlite")) }
    let alone = try LayoutCache(path: folder.path(of: "alone.sqlite"))
    var position = SharedPosition(dataset: 1, sequence: 0, chain: [])
    for node in nodes { try node.adopt("feed", at: position, in: Self.log, time: 0) }
    try alone.createDataset("feed")
    var (rejectedCount, staleCount, groupedCount) = (0, 0, 0)
    for _ in PropertyRun.each(seed, steps: 40) {
      let keys = try Feeds.keys(of: "feed", in: nodes[0])
      let pairs = try (0..<Int.random(in: 1...5, using: &generator)).compactMap { _ in
        let change = try Self.change(on: keys, using: &generator)
        return Self.localized(change, by: nodes[0]).map { (change, localized: $0) }
      }
      if pairs.isEmpty { continue }
      let (changes, localized) = (pairs.map(\.0), pairs.map(\.localized))
      groupedCount += changes.count > 1 ? 1 : 0
      let requests = localized.map {
        SharedRequest(
          .change, named: .randomName(), payload: $0.encoded,
          time: Int64.random(in: 0...1_000, using: &generator))
      }
      let chain = generator.bytes(16)
      let entries = requests.entries(
        from: position.sequence + 1, before: position.chain, chain: chain)
      let first = try nodes[0].decide(
        [
          LayoutCache.EntryRun(
            of: "feed", after: position, entries,
            own: Dictionary(uniqueKeysWithValues: zip(entries.map(\.sequence), localized)))
        ], in: Self.log)[0]
      if generator.oneIn(8) { try nodes[1].checkpoint() }
      for (entry, decided) in zip(entries, first) {
        let run = LayoutCache.EntryRun(of: "feed", after: position, [entry])
        let second = try nodes[1].decide([run], in: Self.log)[0][0]
        #expect(Self.text(second) == Self.text(decided), "seed \(seed)")
        (position.sequence, position.chain) = (entry.sequence, entry.chain)
      }
      for (change, decided) in zip(changes, first) {
        let context = "seed \(seed): \(change.work)"
        switch decided {
        case .success(let outcome):
          #expect(try Self.carryOut(change, on: alone) == outcome.revision, "\(context)")
        case .failure(let error):
          rejectedCount += 1
          if case .concurrentModification = error.code {
            staleCount += 1
            continue
          }
          let own = #expect(throws: LayoutCacheError.self, "\(context)") {
            try Self.carryOut(change, on: alone)
          }
          let ownText = own.map { "\($0.code)" } ?? "none"
          #expect(ownText == "\(error.code)", "\(context)")
        }
      }
      let contents = try ([alone] + nodes).map(Self.contents)
      #expect(contents[0] == contents[1] && contents[1] == contents[2], "seed \(seed)")
    }
    #expect(rejectedCount > staleCount && staleCount > 2 && groupedCount > 10)
    let digests = try nodes.map { try $0.exportReplica(of: "feed", in: Self.log) { _ in }.digest }
    #expect(digests[0] == digests[1], "seed \(seed)")
    for node in nodes {
      // Times never go back.
      let times = try node.log(of: "feed", limit: 1_000).map(\.millisecondsSince1970)
      #expect(times == times.sorted(by: >), "seed \(seed)")
      #expect(try node.verify().problems.isEmpty)
    }
  }

  private static func change(
    on keys: [String], using generator: inout SeededGenerator
  ) throws -> ChangeRequest {
    let batch = try Feeds.batch(on: keys, using: &generator)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return ChangeRequest(.undo())
    case 1:
      var change = ChangeRequest(.batch([.match([], missing: .keep)] + batch))
      change.mayPassInTransaction = true
      return change
    default: return ChangeRequest(.batch(batch))
    }
  }

  /// Returns the request as a node logs it; `nil` if the node answers it at once.
  private static func localized(
    _ change: ChangeRequest, by node: LayoutCache
  ) -> ChangeRequest? {
    if !change.dependsOnNode { return change }
    guard case .request(let localized)? = try? node.localized(change, on: "feed") else {
      return nil
    }
    return localized
  }

  /// - Returns: The revision after the change.
  private static func carryOut(_ change: ChangeRequest, on cache: LayoutCache) throws -> Int {
    switch change.work {
    case .batch(let operations): try cache.update("feed", with: operations).revision
    default: try cache.undo("feed").revision
    }
  }

  private static func text(_ outcome: DecidedOutcome) -> String {
    switch outcome {
    case .success(let outcome): "\(outcome.revision)"
    case .failure(let error): "\(error.code)"
    }
  }

  private static func contents(_ cache: LayoutCache) throws -> [String] {
    var items = ["\(try cache.dataset("feed").revision)"]
    try cache.forEachItem(of: "feed") { section, item in
      items.append("\(section) \(item.key) \(item.size)")
    }
    return items
  }
}
