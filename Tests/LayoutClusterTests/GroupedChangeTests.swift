import ClusterSimulation
import LayoutCache
import LayoutReplication
import TestSupport
import Testing

// Strategy: random groups of batches and undos are resolved together, in order, as a node does
// with changes that wait for each other, and the resulting entries are applied. A cache without
// a log applies the same changes one by one.

@Suite struct GroupedChangeTests {
  private static let log = [UInt8](repeating: 7, count: 16)

  @Test(.property, arguments: PropertyRun.seeds)
  func groupedChangesMatchSingleChanges(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryDirectory()
    let node = try LayoutCache(path: folder.path(of: "node.sqlite"))
    let alone = try LayoutCache(path: folder.path(of: "alone.sqlite"))
    var position = SharedPosition(dataset: 1, sequence: 0, chain: [])
    try node.adopt("feed", at: position, in: Self.log, time: 0)
    try alone.createDataset("feed")
    var (entryCount, waitCount) = (0, 0)
    for _ in PropertyRun.each(seed, steps: 40) {
      let keys = try Feeds.keys(of: "feed", in: node)
      let changes = try (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        generator.oneIn(4)
          ? ChangeRequest(.undo())
          : ChangeRequest(.batch(try Feeds.batch(on: keys, using: &generator)))
      }
      let (found, proposals) = try node.resolve(changes, on: "feed", in: Self.log) { 1 }
      #expect(found == position)
      for (change, proposal) in zip(changes, proposals) {
        let context = "\(change.work)"
        switch proposal {
        case .mustWait: waitCount += 1
        case .failed:
          #expect(throws: LayoutCacheError.self, "\(context)") {
            try Self.carryOut(change, on: alone)
          }
        case .settled(let outcome):
          #expect(try Self.carryOut(change, on: alone) == outcome.revision, "\(context)")
        case .entry(let entry, let resolved):
          let entry = entry.sealed(after: position.chain)
          if generator.oneIn(8) { try node.checkpoint() }
          let pending = LayoutCache.PendingEntry(entry, as: generator.oneIn(3) ? nil : resolved)
          _ = try node.apply(
            [LayoutCache.EntryRun(of: "feed", after: position, [pending])], in: Self.log)
          position.sequence = entry.sequence
          position.chain = entry.chain
          entryCount += 1
          #expect(try Self.carryOut(change, on: alone) == entry.revision, "\(context)")
        }
      }
      #expect(try Self.items(node) == Self.items(alone))
    }
    #expect(entryCount > 20 && waitCount > 5)
    #expect(try node.verify().problems.isEmpty)
    try node.checkpoint()
    #expect(try node.verify().problems.isEmpty)
  }

  /// - Returns: The revision after the change.
  private static func carryOut(_ change: ChangeRequest, on cache: LayoutCache) throws -> Int {
    switch change.work {
    case .batch(let operations): try cache.update("feed", with: operations).revision
    default: try cache.undo("feed").revision
    }
  }

  private static func items(_ cache: LayoutCache) throws -> [String] {
    var items: [String] = []
    try cache.forEachItem(of: "feed") { section, item in
      items.append("\(section) \(item.key) \(item.size)")
    }
    return items
  }
}
