import ClusterSimulation
import LayoutCache
import TestSupport
import Testing

// Strategy: random groups of batches and undos are resolved at once, one behind the other, as
// a node does with changes that wait for each other; what they come to is carried out. A cache
// without a log is asked for the same changes, one after the other.

@Suite struct GroupedChangeTests {
  private static let log = [UInt8](repeating: 7, count: 16)

  @Test(.property, arguments: PropertyRun.seeds)
  func aGroupComesToWhatItsChangesDoOneByOne(seed: UInt64) throws {
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
          ? SharedChange(.undo) : SharedChange(.batch(try Feeds.batch(on: keys, using: &generator)))
      }
      let (found, resolutions) = try node.resolve(changes, on: "feed", in: Self.log, BatchView())
      #expect(found == position)
      for (change, resolution) in zip(changes, resolutions) {
        let context = "\(change.work)"
        switch resolution {
        case .mustWait: waitCount += 1
        case .isRefused:
          #expect(throws: LayoutCacheError.self, "\(context)") {
            try Self.carryOut(change, on: alone)
          }
        case .isSettled(let outcome):
          #expect(try Self.carryOut(change, on: alone) == outcome.revision, "\(context)")
        case .isProposed(let entry):
          let entry = entry.sealed(behind: position.chain)
          let run = LayoutCache.DecidedRun(
            of: "feed", behind: position, [LayoutCache.DecidedEntry(entry)])
          _ = try node.accept([run], in: Self.log)
          position.sequence = entry.sequence
          position.chain = entry.chain
          entryCount += 1
          #expect(try Self.carryOut(change, on: alone) == entry.revision, "\(context)")
        }
      }
      #expect(try Self.items(node) == Self.items(alone))
    }
    #expect(entryCount > 20 && waitCount > 5)
  }

  /// - Returns: The revision behind it.
  private static func carryOut(_ change: SharedChange, on cache: LayoutCache) throws -> Int {
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
